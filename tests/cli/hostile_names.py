# SPDX-License-Identifier: Apache-2.0
# hostile_names.py RECORDING OUT: the recording with names that would break a document, were they taken for more.
# hostile_names.py --check FILE.html: it is XML and HTML, has charts, no script, no handler and nothing from elsewhere,
# its links lead to places in it, and each hostile name in it is text.
import gzip
import html.parser
import json
import sys
import xml.dom.minidom

NAME = "a</td></svg><script>alert(1)</script><img src=x onerror=alert(2)>\"'&lt;|`*_\u202e\u8a00"


def change(value):
    if isinstance(value, list):
        return [change(item) for item in value]
    if isinstance(value, dict):
        return {key: NAME if key in ("description", "command") and isinstance(item, str) else change(item)
                for key, item in value.items()}
    return NAME if value in ("NVIDIA H200", "copy_scale", "16 B loads") else value


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.ids, self.links, self.bad, self.text = {}, set(), set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for key, value in attrs:
            if key == "id":
                self.ids.add(value)
            elif key == "href":
                self.links.add(value)
            elif key.startswith("on") or key == "src":
                self.bad.append((tag, key, value))

    def handle_data(self, data):
        self.text.append(data)


if sys.argv[1] == "--check":
    text = open(sys.argv[2], encoding="utf-8").read()
    document = xml.dom.minidom.parseString(text.encode())
    reader = Reader()
    reader.feed(text)
    names = "".join(reader.text).count("alert(2)")
    charts = [svg for svg in document.getElementsByTagName("svg") if svg.getElementsByTagName("text")]
    wrong = [link for link in reader.links if not link.startswith("#") or link[1:] not in reader.ids]
    odd = {"script", "img", "iframe", "object", "link", "base", "form"} & set(reader.tags)
    print(len(charts), "charts,", len(reader.links), "links,", names, "hostile names; bad:", reader.bad, wrong, odd)
    sys.exit(bool(reader.bad or wrong or odd or not charts or not names or "\u202e" in text))

recording = json.load(gzip.open(sys.argv[1]))
json.dump(change(recording), gzip.open(sys.argv[2], "wt"))
