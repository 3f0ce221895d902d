/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/canvas_haru_info.h"

#include "base/plain.h"
#include "base/units.h"

#include <time.h>

/* The strings are PDFDocEncoding, which is WinAnsi outside of 0x80..0x9f. */
static void set_text(HPDF_Doc doc, HPDF_InfoType type, const char *text, rft_arena *arena) {
    if (!text || !*text) {
        return;
    }
    char *safe = rft_arena_strdup(arena, rft_font_encode(arena, text, NULL));
    for (char *c = safe; *c; c++) {
        if ((unsigned char)*c >= 0x80 && (unsigned char)*c < 0xa0) {
            *c = '-';
        }
    }
    HPDF_SetInfoAttr(doc, type, safe);
}

static void set_dates(HPDF_Doc doc, int64_t unix_ns) {
    time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm utc;
    if (unix_ns <= 0 || !gmtime_r(&seconds, &utc)) {
        return;
    }
    HPDF_Date date = {utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, 'Z', 0, 0};
    HPDF_SetInfoDateAttr(doc, HPDF_INFO_CREATION_DATE, date);
    HPDF_SetInfoDateAttr(doc, HPDF_INFO_MOD_DATE, date);
}

/* ---- XMP, ISO 16684-1: the same once more for programs, in UTF-8 ---- */

static void add_property(rft_str *out, const char *name, const char *before, const char *text, const char *after) {
    if (text && *text) {
        rft_str_addf(out, "<%s>%s", name, before);
        rft_plain_add_xml(out, text);
        rft_str_addf(out, "%s</%s>\n", after, name);
    }
}

static void add_packet(rft_str *out, const rft_canvas_info *info, const char *producer) {
    static const char list[] = "<rdf:Alt><rdf:li xml:lang=\"x-default\">", list_end[] = "</rdf:li></rdf:Alt>";
    char date[32] = "";
    if (info->created_unix_ns > 0) {
        rft_units_format_iso(date, sizeof date, info->created_unix_ns);
    }
    rft_str_add(out, "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
                     "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
                     "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
                     "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\""
                     " xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\">\n"
                     "<dc:format>application/pdf</dc:format>\n");
    add_property(out, "dc:title", list, info->title, list_end);
    add_property(out, "dc:description", list, info->subject, list_end);
    add_property(out, "dc:creator", "<rdf:Seq><rdf:li>", info->author, "</rdf:li></rdf:Seq>");
    add_property(out, "dc:language", "<rdf:Bag><rdf:li>", info->language, "</rdf:li></rdf:Bag>");
    add_property(out, "xmp:CreatorTool", "", info->creator, "");
    add_property(out, "xmp:CreateDate", "", date, "");
    add_property(out, "xmp:ModifyDate", "", date, "");
    add_property(out, "pdf:Keywords", "", info->keywords, "");
    add_property(out, "pdf:Producer", "", producer, "");
    rft_str_add(out, "</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>");
}

/* libharu has no call for these; its dictionaries are as public in 2.3 as in 2.4. */
static void set_catalog(HPDF_Doc doc, const rft_canvas_info *info) {
    rft_str packet = RFT_STR_INIT;
    HPDF_Dict metadata = HPDF_DictStream_New(doc->mmgr, doc->xref), viewer = HPDF_Dict_New(doc->mmgr);
    add_packet(&packet, info, HPDF_GetInfoAttr(doc, HPDF_INFO_PRODUCER));
    if (metadata) { /* not compressed: who looks for it need not read PDF */
        HPDF_Dict_AddName(metadata, "Type", "Metadata");
        HPDF_Dict_AddName(metadata, "Subtype", "XML");
        HPDF_Stream_Write(metadata->stream, (const HPDF_BYTE *)packet.data, (HPDF_UINT)packet.length);
        HPDF_Dict_Add(doc->catalog, "Metadata", metadata);
    }
    if (viewer) { /* a window shows the title, not the file's name */
        HPDF_Dict_AddBoolean(viewer, "DisplayDocTitle", HPDF_TRUE);
        HPDF_Dict_Add(doc->catalog, "ViewerPreferences", viewer);
    }
    if (info->language) {
        HPDF_Dict_Add(doc->catalog, "Lang", HPDF_String_New(doc->mmgr, info->language, NULL));
    }
    if (doc->pdf_version < HPDF_VER_14) {
        doc->pdf_version = HPDF_VER_14; /* the first that has these */
    }
    rft_str_clear(&packet);
}

void rft_canvas_haru_info(HPDF_Doc doc, const rft_canvas_info *info, rft_arena *arena) {
    set_text(doc, HPDF_INFO_TITLE, info->title, arena);
    set_text(doc, HPDF_INFO_SUBJECT, info->subject, arena);
    set_text(doc, HPDF_INFO_AUTHOR, info->author, arena);
    set_text(doc, HPDF_INFO_CREATOR, info->creator, arena);
    set_text(doc, HPDF_INFO_KEYWORDS, info->keywords, arena);
    set_dates(doc, info->created_unix_ns);
    set_catalog(doc, info);
}
