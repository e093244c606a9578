"""The person at the browser: `person.py ADDRESS` fills in the forms of a local server's pages and goes where they lead."""

import html.parser
import http.cookiejar
import sys
import urllib.parse
import urllib.request

ANSWERS = {"username": "ada", "password": "Enchantress-1", "decision": "allow"}


class Form(html.parser.HTMLParser):
    """The first form of a page that is sent with POST."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields, self.isOpen, self.isPressed = None, [], False, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form" and self.action is None and (given.get("method") or "").lower() == "post":
            self.action, self.isOpen = given.get("action") or "", True
        elif self.isOpen and tag in ("input", "button") and given.get("name"):
            name, value = given["name"], given.get("value") or ""
            # Of the buttons one is pressed: the first that agrees, or that names a person.
            if given.get("type") == "submit" or tag == "button":
                if self.isPressed or ANSWERS.get(name, value) != value:
                    return
                self.isPressed = True
            self.fields.append((name, value if value and name not in ("username", "password") else ANSWERS.get(name, value)))

    def handle_endtag(self, tag):
        self.isOpen = self.isOpen and tag != "form"


opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
response = opener.open(sys.argv[1])
for _ in range(10):
    form = Form(response.read().decode())
    if form.action is None:
        break
    target = urllib.parse.urljoin(response.geturl(), form.action)
    body = urllib.parse.urlencode(form.fields).encode()
    response = opener.open(urllib.request.Request(target, body, {"Referer": response.geturl()}))
