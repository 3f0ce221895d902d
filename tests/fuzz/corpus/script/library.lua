local s = ("a"):rep(99) for k, v in pairs { 1, x = 2 } do s = s:gsub("(a+)b?", "%1"):match("^%s*(.-)%s*$") end
print(pcall(error, table.concat({ 1, 2 }, ",")), utf8.char(228), math.max(1, 2))
local t = { 3, 1, 2 } table.sort(t, function(a, b) return a > b end)
