"""A person at a browser: opens a page, fills in the forms, and goes where the servers send them."""

import html.parser
import http.cookiejar
import urllib.parse
import urllib.request

LONGEST_WAY = 10
ALLOW = ("decision", "allow")


class Forms(html.parser.HTMLParser):
    """The forms of a page that are posted, and the addresses that it links to."""

    def __init__(self, page):
        super().__init__()
        self.forms, self.links = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag == "form":
            self.forms.append({"action": attributes.get("action", ""), "post": attributes.get("method", "").lower() == "post",
                               "fields": [], "buttons": []})
        elif tag in ("input", "button") and self.forms and attributes.get("name"):
            field, kind = (attributes["name"], attributes.get("value", "")), attributes.get("type")
            if tag == "button" or kind == "submit":
                self.forms[-1]["buttons"].append(field)
            elif kind not in ("checkbox", "radio") or "checked" in attributes:
                self.forms[-1]["fields"].append(field)


class Browser:
    """One browser with its cookies, and what its person fills in."""

    def __init__(self, username, password):
        self.answers = {"username": username, "password": password}
        self.jar = http.cookiejar.CookieJar()
        # What a local server says must not depend on a proxy.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.jar), AnyStatus())

    @property
    def cookies(self):
        """The cookies that this browser has, for somebody who copies them."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)

    def open(self, address, form=None, page=None, cookie=None):
        """Goes to an address, or posts a form there. Returns status, address and text of where the browser is then."""
        request = urllib.request.Request(address, data=None if form is None else urllib.parse.urlencode(form).encode())
        if page:
            request.add_header("Referer", page)
        if cookie:
            request.add_header("Cookie", cookie)
        with self.opener.open(request, timeout=30) as response:
            return response.status, response.url, response.read().decode()

    def sign_in(self, address):
        """Opens a page and answers forms until none is left that asks for something."""
        status, here, text = self.open(address)
        for _ in range(LONGEST_WAY):
            form = next((form for form in Forms(text).forms if form["post"] and self.knows(form)), None)
            if form is None:
                return status, here, text
            filled = [(name, self.answers.get(name, value)) for name, value in form["fields"]]
            filled += [ALLOW] if ALLOW in form["buttons"] else form["buttons"][:1]
            status, here, text = self.open(urllib.parse.urljoin(here, form["action"]), filled, page=here)
        raise AssertionError(f"The pages of {address} do not end.")

    def knows(self, form):
        return ALLOW in form["buttons"] or any(name in self.answers for name, _ in form["fields"])


class AnyStatus(urllib.request.HTTPErrorProcessor):
    """Follows redirects, and takes a response with an error for a page like every other."""

    def http_response(self, request, response):
        return super().http_response(request, response) if 300 <= response.status < 400 else response

    https_response = http_response
