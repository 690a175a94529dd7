"""Texts that readers handle badly: numerals, names, encodings and pieces of markup."""

from fuzz.cases import OUTSIDE, VARIABLE

NUMERALS = (
    *("0", "-0", "0.0", "1", "-1", "1e-30", "1e-300", "1e300", "1e308", "-1e308", "1.8e308"),
    *("1.7976931348623157e308", "5e-324", "2.2250738585072014e-308", "1e-400", "1e400", "1e39"),
    *("1e999999999", "-1e999999999", "1e-999999999999", "1e999999999999999999999", "1e", "1e-"),
    *("1e+", ".", "-", "+", "+-1", "--1", "1e5.5", "1.2.3", "1,5", "1_000", "0x", "0x10", "0x1p4"),
    *("0b1", "0o7", "010", "1d3", "1f", "1.f", "nan", "NaN", "-nan", "nan(0x1)", "inf", "-inf"),
    *("Infinity", "1#INF", "٣", "१.५", "１", "\u00b2", "½", "1\u00a0", "1\u200b", "−1", "1e٣"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "4294967296"),
    *("100000000000000000000", "-100000000000000000000", "18446744073709551616", "2147483648"),
    *(
        "True",
        "null",
        "~",
        "None",
        "1/0",
        "0/0",
        "1j",
        "2**9999",
        "9" * 400,
        "0." + "0" * 400 + "1",
    ),
    *("9" * 5000, "1e-" + "9" * 3000, "1." + "3" * 1500, "0" * 2000 + "1", "-" * 500, "1 " * 40),
)
"""Numbers at the limits of float64 and of integers, and texts that only look like numbers."""

NAMES = (
    *("", " ", "\t", "a b", "a/b", "../../etc/passwd", "/etc/passwd", "/dev/zero", "/dev/stdin"),
    *("a::b", "::", "__model__", "world", "$(arg x)", "${x}", "${2**9}", "{{x}}", "%s%n", "#", "@"),
    *("\x1b[31mred\x1b[0m", "a\nb", "a\r\nb", "a\x00b", "\x7f", "\u202eabc", "\u200b", "\ufeff"),
    *("\u2028", "\ud800", "\U0001f600", "é", "e\u0301", "ﬁ", "İ", "ß", "ſ", "null", "true", "nan"),
    *("::error::x", "##[set-output name=a]b", "]]>", "-->", "</script>", "<b>", "&amp;", "|", "`"),
    *(
        "*",
        "**",
        "[",
        "[!",
        "(" * 50,
        "a" * 300,
        "a" * 70_000,
        "é" * 300,
        "con",
        "-rf",
        "~",
        "file:",
    ),
    *("package://", "package://x/y.stl", "model://m", "file:///etc/passwd", "http://x/y", "C:\\x"),
    *(f"../{OUTSIDE}/secret.xml", f"$(env {VARIABLE})", f"$(optenv {VARIABLE} x)"),
)
"""Names of bodies, files, options and classes that confuse what handles them."""

BYTES = (
    *(
        b"\0",
        b"\x01",
        b"\x0b",
        b"\x0c",
        b"\x1b",
        b"\x7f",
        b"\x80",
        b"\xff",
        b"\xfe\xff",
        b"\xff\xfe",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xe2\x82",
        b"\xf0\x9f\x98",
        b"\xc0\x80",
        b"\xf4\x90\x80\x80",
    ),
    *(
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\r",
        b"\n",
        b"\r\n",
        b"\t",
        b" ",
        b"\xc2\xa0",
        b"\xef\xbf\xbe",
    ),
)
"""Control characters, byte order marks, truncated and forbidden sequences of UTF-8."""

ENCODINGS = (
    *("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "latin-1", "cp1252"),
    *("shift_jis", "gb18030", "cp037", "iso2022_jp", "cp932"),
)
"""Encodings into which whole documents, or half of one, are converted."""

MARKUP = (
    *("<", ">", "/>", "</", '"', "'", "&", ";", "&#0;", "&#x110000;", "&#xd800;", "&#49;", "&lt;"),
    *("&x;", "<!--", "-->", "--", "<!-- -- -->", "<?xml?>", '<?xml version="1.0" encoding="x"?>'),
    *('<?xml version="1.1"?>', '<?xml version="1.0" encoding="utf-16"?>', "<?", "?>", "<![CDATA["),
    *("]]>", "<!DOCTYPE robot>", "<!DOCTYPE", "xmlns:a='b'", "a:b:c='1'", "xmlns=''", "=", "/"),
    "<!DOCTYPE r [<!ENTITY a '1'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]>",
    "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
    "<!DOCTYPE r [<!ENTITY % p SYSTEM 'secret.dtd'> %p;]>",
    "<!DOCTYPE r [<!ENTITY x '&x;'>]>",
    "<!-- inertial-check: ignore[IC301] reason -->",
    "<!-- inertial-check: ignore-next[IC101, IC3] -->",
    "<!-- inertial-check: ignore-file[ALL] x -->",
    "<!-- inertial-check: ignore[ -->",
    "<!-- inertial-check: ignore[IC999999999999999999999] ] -->",
    "# inertial-check: ignore[IC301] reason\n",
)
"""Pieces of XML: references, declarations, entities, comments that suppress findings."""

BRACKETS = (
    *("[", "]", "{", "}", "(", ")", ":", ": ", ",", ";", "\n", "\n\n", "- ", "  ", "\t", '"', "'"),
    *(
        '"""',
        "'''",
        "\\",
        "\\u",
        "\\ud800",
        "\\x",
        "\\u0000",
        "&a ",
        "*a",
        "<<: *a\n",
        "!!python/x ",
    ),
    *(
        "!",
        "? ",
        "| ",
        "> ",
        "---\n",
        "...\n",
        "%YAML 9.9\n",
        "#",
        "=",
        "[[",
        "]]",
        "[a.b]\n",
        "a.b.c",
    ),
    *("1979-05-27T07:32:00Z", "12:30:45", "0x1F", "1e9", "inf", "@", "@./part.usda@", "</a>", "<>"),
    *('{"a": 1, "a": 2}', "null", "true", "NaN", "-Infinity", "1:30:00", "=\n", "~", "yes"),
)
"""Pieces of JSON, TOML, YAML and USD text."""
