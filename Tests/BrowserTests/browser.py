"""A real browser, and what every page must be like in it."""

import os
import pathlib

from playwright.sync_api import sync_playwright

from tool import PATIENCE

PICTURES = pathlib.Path(os.environ["BROWSER_TEST_PICTURES"])
PHONE = {"width": 390, "height": 844}
TABLET = {"width": 768, "height": 1024}
DESKTOP = {"width": 1280, "height": 800}
HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
# A page without a form may as well forbid them.
POLICY = [
    ("default-src 'none'",), ("frame-ancestors 'none'",), ("base-uri 'none'",), ("form-action 'self'", "form-action 'none'"),
]
ROLES_WITH_NAMES = {"textbox", "checkbox", "combobox", "button", "link", "radio", "spinbutton", "Date"}

# Contrast as WCAG 2.2 counts it (1.4.3): of each text, and of each border that shows where to type (1.4.11).
CONTRASTS = """() => {
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = numbers(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color.slice(0, 3);
    }
    return numbers(getComputedStyle(document.documentElement).backgroundColor).slice(0, 3);
  };
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const bad = [];
  const check = (what, color, back, least) => {
    const value = contrast(numbers(color).slice(0, 3), back);
    if (value < least) bad.push(`${what}: ${value.toFixed(2)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim();
    if (text) check(text.slice(0, 40), getComputedStyle(node.parentElement).color, ground(node.parentElement), 4.5);
  }
  for (const field of document.querySelectorAll('input:not([type=hidden]):not([type=checkbox]), select')) {
    const example = field.placeholder && getComputedStyle(field, '::placeholder').color;
    if (example) check(`example in ${field.name}`, example, ground(field), 4.5);
    check(`border of ${field.name}`, getComputedStyle(field).borderTopColor, ground(field.parentElement), 3);
  }
  return bad;
}"""

SMALL_TARGETS = """() => [...document.querySelectorAll('main:not(.wide) button, main:not(.wide) select, input:not([type=hidden])')]
  .filter(e => e.type !== 'checkbox' && e.getBoundingClientRect().height < 24)
  .map(e => e.outerHTML.slice(0, 80))"""


class Browser:
    """Chromium. Each visitor has cookies of their own."""

    def __init__(self):
        self._playwright = sync_playwright().start()
        # There is no sandbox inside a sandbox, which is where tests run as root.
        self._chromium = self._playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=["--no-sandbox", "--disable-gpu"]
        )

    def visitor(self, scripts=False):
        return Visitor(self._chromium, scripts)

    def window(self, **options):
        """A page that is not of a local server, in a window of its own."""
        return self._chromium.new_context(**options).new_page()

    def close(self):
        self._chromium.close()
        self._playwright.stop()


class Visitor:
    """A person at a browser, by default one without scripts. Every complaint of the browser fails the test."""

    def __init__(self, chromium, scripts):
        self._context = chromium.new_context(java_script_enabled=scripts, viewport=PHONE, locale="en-US")
        self._context.set_default_timeout(PATIENCE * 1000)
        self.page = self._context.new_page()
        self.complaints = []
        # The dashboard has one.
        self.may_have_script = False
        self.page.on("console", lambda message: self._complain(message.type, message.text))
        self.page.on("pageerror", lambda error: self._complain("error", str(error)))
        self.page.on("response", self._check_headers)
        self._devtools = self._context.new_cdp_session(self.page)

    def allow_clipboard(self):
        """Lets the page write to the clipboard and the test read from it."""
        self._context.grant_permissions(["clipboard-read", "clipboard-write"])

    def _complain(self, kind, text):
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")

    def _check_headers(self, response):
        if response.request.resource_type != "document" or not response.headers.get("content-type", "").startswith("text/html"):
            return
        headers = response.headers
        # A redirect may have a body for browsers that are older than any of these headers.
        if 300 <= response.status < 400:
            return
        for name, value in HEADERS.items():
            if headers.get(name) != value:
                self.complaints.append(f"{response.url}: {name} is {headers.get(name)}")
        policy = headers.get("content-security-policy", "")
        for rules in POLICY:
            if not any(rule in policy for rule in rules):
                self.complaints.append(f"{response.url}: the policy lacks {rules[0]}")
        # A script is named by its hash, or there is none.
        scripts = [rule.strip() for rule in policy.split(";") if "script-src" in rule]
        if "unsafe" in policy or any(not rule.startswith("script-src 'sha256-") for rule in scripts):
            self.complaints.append(f"{response.url}: the policy is {policy}")

    def open(self, address):
        self.page.goto(address)

    def fill(self, **fields):
        """Fills in fields by their labels; an underscore stands for a blank.

        The form for a password is one click away where people can be chosen.
        """
        behind = self.page.locator("details:not([open]) > summary")
        if behind.count() and "Password" in fields:
            behind.first.click()
        for label, value in fields.items():
            self.page.get_by_label(label.replace("_", " "), exact=True).fill(value)

    def press(self, button):
        self.page.get_by_role("button", name=button, exact=True).click()

    def heading(self):
        return self.page.get_by_role("heading", level=1).inner_text()

    def alert(self):
        return self.page.get_by_role("alert").inner_text()

    def picture(self, name):
        """Checks the page that is shown, and keeps pictures of it: on a phone, a tablet and a desktop, in the light and in the dark."""
        self._check_page(name)
        for size_name, size in (("phone", PHONE), ("tablet", TABLET), ("desktop", DESKTOP)):
            self.page.set_viewport_size(size)
            for scheme in ("light", "dark"):
                self.page.emulate_media(color_scheme=scheme)
                for problem in self.page.evaluate(CONTRASTS):
                    self.complaints.append(f"{name}, {size_name}, {scheme}: contrast of {problem}")
                self.page.screenshot(path=PICTURES / f"{name}-{size_name}-{scheme}.png", full_page=True)
            if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                self.complaints.append(f"{name}: wider than a {size_name}")
        self.page.set_viewport_size(PHONE)
        self.page.emulate_media(color_scheme="light")

    def _check_page(self, name):
        if self.page.locator("script").count() > (1 if self.may_have_script else 0):
            self.complaints.append(f"{name}: there is a script")
        for node in self._devtools.send("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            if role in ROLES_WITH_NAMES and not node.get("ignored") and not node.get("name", {}).get("value"):
                self.complaints.append(f"{name}: a {role} has no name")
        for count, what in (("h1", "headings of the first level"), ("main", "main parts")):
            if self.page.locator(count).count() != 1:
                self.complaints.append(f"{name}: not one of {what}")
        for target in self.page.evaluate(SMALL_TARGETS):
            self.complaints.append(f"{name}: too small to hit: {target}")

    def close(self):
        self._context.close()
