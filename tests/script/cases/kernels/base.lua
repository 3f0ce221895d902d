-- SPDX-License-Identifier: Apache-2.0
-- A module that other modules and the script share: it runs once.
print("base runs")
return { size = 64 }
