/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_state.h"

#include "base/str.h"
#include "base/units.h"
#include "script/lua/lua_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULT "rft.fault"
#define HOOK_COUNT 1000
#define STOPPED_REMEDY "look for a loop that does not end; work that depends on sizes belongs in the kernel"
#define HOOK_CALLS 16 /* every so many calls what constructors keep is counted */
#define TRACE_LEVELS 10
#define TRACE_SEARCHED 100

typedef struct fault {
    int code;
    char place[200];
    char message[1400];
    char remedy[480];
} fault;

rft_script *rft_lua_script(lua_State *lua) {
    rft_script *script;
    memcpy(&script, lua_getextraspace(lua), sizeof(script));
    return script;
}

static void *allocate(void *self, void *block, size_t old_size, size_t new_size) {
    rft_script *script = self;
    if (!block) {
        old_size = 0; /* Lua passes the kind of object here */
    }
    if (new_size == 0) {
        free(block);
        script->used_bytes -= old_size;
        return NULL;
    }
    if (new_size > old_size &&
        (new_size > RFT_LUA_BLOCK_MAX || script->used_bytes - old_size + new_size > script->limit_bytes)) {
        script->refused_bytes = new_size;
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved) {
        script->used_bytes += new_size - old_size;
    }
    return moved;
}

void rft_lua_check_kept(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    if (rft_arena_used_bytes(script->arena) > script->limit_bytes) {
        char limit[48];
        rft_units_format_bytes(limit, sizeof(limit), script->limit_bytes);
        rft_lua_fault(lua, RFT_E_SCRIPT, "build each kernel and sweep once",
                      "out of memory: kernels and sweeps hold more than %s", limit);
    }
}

static void on_hook(lua_State *lua, lua_Debug *record) {
    rft_script *script = rft_lua_script(lua);
    if (record->event == LUA_HOOKCOUNT || ++script->calls % HOOK_CALLS == 0) {
        rft_lua_check_kept(lua);
    }
    if (!rft_watch_expired(script->watch)) {
        return;
    }
    if (!script->stopping) {
        /* From now on every instruction raises, so a pcall() in the script cannot go on. */
        script->stopping = true;
        lua_sethook(lua, on_hook, LUA_MASKCALL | LUA_MASKCOUNT, 1);
    }
    char limit[120];
    rft_watch_limit_text(script->watch, limit, sizeof(limit));
    rft_lua_fault(lua, RFT_E_SCRIPT_STOPPED, STOPPED_REMEDY, "stopped at %s", limit);
}

static int on_panic(lua_State *lua) {
    (void)lua; /* unreachable: nothing raises outside rft_lua_protected() */
    return 0;
}

int rft_lua_new(rft_script **out, const rft_script_opts *opts, rft_err *err) {
    rft_script *script = rft_alloc(sizeof(*script));
    script->arena = rft_arena_new();
    script->log = opts->log;
    script->gpu = opts->gpu;
    script->gpu_ref = LUA_NOREF;
    script->limit_bytes = opts->memory_limit_bytes ? opts->memory_limit_bytes : (size_t)256 << 20;
    rft_sha256_init(&script->hash);
    int rc = rft_watch_new(&script->watch, opts, err);
    if (rc != 0) {
        rft_lua_free(script);
        return rc;
    }
    script->lua = lua_newstate(allocate, script);
    if (!script->lua) {
        rft_lua_free(script);
        return rft_err_set(err, RFT_E_LIMIT, "the memory limit for scripts is too small for Lua itself");
    }
    memcpy(lua_getextraspace(script->lua), &script, sizeof(script));
    lua_atpanic(script->lua, on_panic);
    *out = script;
    return 0;
}

void rft_lua_free(rft_script *script) {
    if (!script) {
        return;
    }
    rft_watch_free(script->watch);
    if (script->lua) {
        lua_close(script->lua);
    }
    free(script->files);
    free(script->sweeps);
    rft_arena_free(script->arena);
    free(script);
}

/* ---- faults ---- */

bool rft_lua_place(lua_State *lua, char *out, size_t size) {
    lua_Debug record;
    out[0] = '\0';
    for (int level = 0; lua_getstack(lua, level, &record); level++) {
        lua_getinfo(lua, "Sl", &record);
        if (record.currentline > 0) {
            snprintf(out, size, "%s:%d", record.short_src, record.currentline);
            return true;
        }
    }
    return false;
}

void rft_lua_function_place(lua_State *lua, char *out, size_t size) {
    lua_Debug record;
    lua_getinfo(lua, ">S", &record);
    if (record.linedefined > 0) {
        snprintf(out, size, "%s:%d", record.short_src, record.linedefined);
    } else {
        snprintf(out, size, "%s", record.short_src);
    }
}

void rft_lua_push_function(lua_State *lua, int ref) {
    rft_script *script = rft_lua_script(lua);
    luaL_checkstack(lua, 8, NULL);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, ref);
    lua_pushvalue(lua, -1);
    rft_lua_function_place(lua, script->where, sizeof(script->where));
    rft_watch_place(script->watch, script->where);
}

static _Noreturn void raise_fault(lua_State *lua, const char *place, int code, const char *remedy, const char *format,
                                  va_list args) {
    fault *raised = lua_newuserdatauv(lua, sizeof(*raised), 0);
    memset(raised, 0, sizeof(*raised));
    raised->code = code;
    snprintf(raised->place, sizeof(raised->place), "%s", place);
    vsnprintf(raised->message, sizeof(raised->message), format, args);
    snprintf(raised->remedy, sizeof(raised->remedy), "%s", remedy ? remedy : "");
    luaL_setmetatable(lua, FAULT);
    lua_error(lua);
    abort(); /* lua_error() does not return, but is not declared so */
}

void rft_lua_fault_at(lua_State *lua, const char *place, int code, const char *remedy, const char *format, ...) {
    va_list args;
    va_start(args, format);
    raise_fault(lua, place, code, remedy, format, args);
    va_end(args);
}

void rft_lua_fault(lua_State *lua, int code, const char *remedy, const char *format, ...) {
    char place[200];
    va_list args;
    if (!rft_lua_place(lua, place, sizeof(place))) {
        snprintf(place, sizeof(place), "%s", rft_lua_script(lua)->where);
    }
    va_start(args, format);
    raise_fault(lua, place, code, remedy, format, args);
    va_end(args);
}

static int fault_text(lua_State *lua) {
    const fault *raised = luaL_checkudata(lua, 1, FAULT);
    lua_pushfstring(lua, "%s: %s", raised->place, raised->message);
    return 1;
}

void rft_lua_open_faults(lua_State *lua) {
    luaL_newmetatable(lua, FAULT);
    lua_pushcfunction(lua, fault_text);
    lua_setfield(lua, -2, "__tostring");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 1);
}

/* ---- from a Lua error to an rft_err ---- */

/* "saxpy.lua:12: attempt to ..." -> place and message, when the text begins with the name of a file that was run. */
static const char *split_place(const rft_script *script, const char *text, char *place, size_t size) {
    for (size_t i = 0; i < script->file_count; i++) {
        size_t length = strlen(script->files[i]->shown);
        if (strncmp(text, script->files[i]->shown, length) != 0 || text[length] != ':') {
            continue;
        }
        const char *digits = text + length + 1;
        size_t count = strspn(digits, "0123456789");
        if (count > 0 && digits[count] == ':' && digits[count + 1] == ' ') {
            snprintf(place, size, "%.*s", (int)(length + 1 + count), text);
            return digits + count + 2;
        }
    }
    place[0] = '\0';
    return text;
}

const char *rft_lua_source(const rft_script *script, const char *place, int *line) {
    const char *colon = strrchr(place, ':');
    int64_t number = 0;
    if (!colon || !rft_text_to_int64(colon + 1, &number) || number < 1 || number > INT32_MAX) {
        return NULL;
    }
    *line = (int)number;
    for (size_t i = 0; i < script->file_count; i++) {
        const char *shown = script->files[i]->shown;
        if (strlen(shown) == (size_t)(colon - place) && strncmp(shown, place, strlen(shown)) == 0) {
            return script->files[i]->text;
        }
    }
    return NULL;
}

/* The text of a file from the line of a place; NULL. */
static const char *line_at(const rft_script *script, const char *place) {
    int line = 0;
    const char *at = rft_lua_source(script, place, &line);
    for (; at && *at && line > 1; line--) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

/* The file that is being read, for errors that the parser gives without a place. */
static const char *loading_file(const rft_script *script) {
    const char *shown = "";
    for (size_t i = 0; i < script->file_count; i++) {
        if (i == 0 || script->files[i]->loading) {
            shown = script->files[i]->shown;
        }
    }
    return shown;
}

/* Lua functions on the stack, innermost first. Allocates nothing: it also runs when memory or stack ran out. */
static void add_traceback(lua_State *lua, char *text, size_t size, int least_frames) {
    lua_Debug record;
    size_t length = strlen(text);
    size_t start = length;
    int frames = 0;
    /* Finding a level takes time proportional to it: a deep recursion must not be walked to its end. */
    for (int level = 1; frames <= TRACE_LEVELS && level < TRACE_SEARCHED && lua_getstack(lua, level, &record);
         level++) {
        lua_getinfo(lua, "Sln", &record);
        if (record.currentline <= 0) {
            continue;
        }
        frames++;
        if (frames > TRACE_LEVELS || length + 200 > size) {
            break;
        }
        if (frames == 1) {
            length += (size_t)snprintf(text + length, size - length, "\ntraceback:");
        }
        length +=
            (size_t)snprintf(text + length, size - length, "\n  %s:%d: in ", record.short_src, record.currentline);
        if (strcmp(record.what, "main") == 0) {
            length += (size_t)snprintf(text + length, size - length, "the file itself");
        } else if (record.name) {
            length += (size_t)snprintf(text + length, size - length, "%s '%.60s'", record.namewhat, record.name);
        } else {
            length += (size_t)snprintf(text + length, size - length, "function at line %d", record.linedefined);
        }
    }
    if (frames < least_frames) {
        text[start] = '\0';
    } else if (frames > TRACE_LEVELS && length + 40 < size) {
        snprintf(text + length, size - length, "\n  ... and more");
    }
}

static int on_error(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    rft_err *failure = &script->failure;
    const fault *raised = luaL_testudata(lua, 1, FAULT);
    if (raised) {
        rft_err_set(failure, raised->code, "%s", raised->message);
        rft_err_place(failure, "%s", raised->place);
        rft_err_remedy(failure, "%s", raised->remedy);
        add_traceback(lua, failure->message, sizeof(failure->message), 2);
    } else if (lua_type(lua, 1) == LUA_TSTRING) {
        char place[200];
        const char *message = split_place(script, lua_tostring(lua, 1), place, sizeof(place));
        const char *way = rft_ways_of_message(message, line_at(script, place));
        rft_err_set(failure, RFT_E_SCRIPT, "%.1000s", message);
        rft_err_remedy(failure, "%s", way ? way : "");
        if (!place[0] && !rft_lua_place(lua, place, sizeof(place))) {
            snprintf(place, sizeof(place), "%s", script->where[0] ? script->where : loading_file(script));
        }
        rft_err_place(failure, "%s", place);
        add_traceback(lua, failure->message, sizeof(failure->message), 1);
    } else {
        rft_err_set(failure, RFT_E_SCRIPT, "error() was called with a %s, not with text", luaL_typename(lua, 1));
        char place[200];
        rft_lua_place(lua, place, sizeof(place));
        rft_err_place(failure, "%s", place);
        add_traceback(lua, failure->message, sizeof(failure->message), 1);
    }
    return 1;
}

static void describe_memory(rft_script *script, rft_err *err) {
    char asked[48], limit[48];
    size_t bound = script->refused_bytes > RFT_LUA_BLOCK_MAX ? RFT_LUA_BLOCK_MAX : script->limit_bytes;
    rft_units_format_bytes(limit, sizeof(limit), bound);
    rft_units_format_bytes(asked, sizeof(asked), script->refused_bytes);
    if (bound == RFT_LUA_BLOCK_MAX) {
        rft_err_set(err, RFT_E_SCRIPT, "out of memory: %s asked for in one piece, the limit for a text or list is %s",
                    asked, limit);
    } else {
        rft_err_set(err, RFT_E_SCRIPT, "out of memory: the script holds more than %s", limit);
    }
    rft_err_place(err, "%s", script->file_count ? script->files[0]->shown : script->where);
    rft_err_remedy(err, "a sweep describes work, it does not do it: keep large data in the kernel");
}

/* The watch has expired: whatever else the call ended with, that is what is told, now and from now on. */
static void keep_stopped(rft_script *script) {
    if (script->failure.code != RFT_E_SCRIPT_STOPPED) { /* it came back by itself, a moment too late */
        char limit[120];
        rft_watch_limit_text(script->watch, limit, sizeof(limit));
        rft_err_set(&script->failure, RFT_E_SCRIPT_STOPPED, "stopped at %s", limit);
        rft_err_place(&script->failure, "%s",
                      script->where[0]     ? script->where
                      : script->file_count ? script->files[0]->shown
                                           : "");
        rft_err_remedy(&script->failure, STOPPED_REMEDY);
    }
    script->stopped = script->failure;
}

static int call_body(rft_script *script, lua_CFunction body, void *payload) {
    lua_State *lua = script->lua;
    lua_sethook(lua, on_hook, LUA_MASKCALL | LUA_MASKCOUNT, HOOK_COUNT);
    lua_settop(lua, 0);
    lua_pushcfunction(lua, on_error);
    lua_pushcfunction(lua, body);
    lua_pushlightuserdata(lua, payload);
    rft_watch_enter(script->watch);
    int status = lua_pcall(lua, 1, 0, 1);
    rft_watch_leave(script->watch);
    lua_sethook(lua, NULL, 0, 0);
    lua_settop(lua, 0);
    return status;
}

int rft_lua_protected(rft_script *script, lua_CFunction body, void *payload, rft_err *err) {
    if (script->stopped.code != 0) {
        if (err) {
            *err = script->stopped;
        }
        return script->stopped.code;
    }
    script->refused_bytes = 0;
    script->failure.code = 0;
    script->is_of_value = false;
    int status = call_body(script, body, payload);
    if (status == LUA_OK && !rft_watch_expired(script->watch)) {
        script->where[0] = '\0';
        return 0;
    }
    if (status == LUA_ERRMEM) {
        describe_memory(script, &script->failure);
        lua_gc(script->lua, LUA_GCCOLLECT);
    } else if (status != LUA_OK && script->failure.code == 0) {
        rft_err_set(&script->failure, RFT_E_SCRIPT, "an error while handling an error (functions nested too deeply?)");
        rft_err_place(&script->failure, "%s", script->file_count ? script->files[0]->shown : "");
    }
    if (rft_watch_expired(script->watch)) {
        keep_stopped(script);
    }
    script->where[0] = '\0';
    if (err) {
        *err = script->failure;
    }
    return script->failure.code;
}
