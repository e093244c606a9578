"""The screens of IdentityKit in every state, drawn as HTML by ScreenSnapshotTests: what every layout of them must keep."""

import base64
import os
import pathlib
import unittest

from axe_playwright_python.sync_playwright import Axe

from browser import CONTRASTS, PICTURES, Browser

SCREENS = pathlib.Path(os.environ["SCREENS"])
BACKENDS = ("insforge", "thunderid", "openid-connect")
# And one screen that has every kind of row.
NAMES = (*BACKENDS, "rows")
WIDTHS = (320, 390, 1280)
SCHEMES = ("light", "dark")
TEXT_SIZES = (100, 200)

# Each row is a child of one grid and as wide as it, below the row before, and nothing in it is cut off or outside it.
LAYOUT = """size => {
  const bad = [], grid = document.querySelector('main'), style = getComputedStyle(grid), box = grid.getBoundingClientRect();
  const [left, right] = [box.left + parseFloat(style.paddingLeft), box.right - parseFloat(style.paddingRight)];
  const close = (a, b) => Math.abs(a - b) < 1;
  const name = element => element.outerHTML.slice(0, 60);
  if (style.display !== 'grid' || style.gridTemplateColumns.includes(' ')) bad.push('not one grid with one column');
  if (document.documentElement.scrollWidth > innerWidth) bad.push('wider than the window');
  let bottom = 0;
  for (const row of grid.children) {
    const rect = row.getBoundingClientRect();
    if (!close(rect.left, left) || !close(rect.right, right)) bad.push(`beside the grid: ${name(row)}`);
    if (rect.top < bottom) bad.push(`above the row before: ${name(row)}`);
    bottom = rect.bottom;
  }
  for (const element of grid.querySelectorAll('*')) {
    if (element.matches('option')) continue;
    // What is typed scrolls within its field.
    if (!element.matches('input') && element.clientWidth && element.scrollWidth > element.clientWidth)
      bad.push(`cut off: ${name(element)}`);
  }
  // A hint has one line, so that it has room in text of usual size only. The label says the same.
  for (const field of size === 100 ? grid.querySelectorAll('input[placeholder]:not([value])') : []) {
    const type = field.type;
    [field.type, field.value] = ['text', field.placeholder];
    if (field.scrollWidth > field.clientWidth) bad.push(`hint cut off: ${field.placeholder}`);
    [field.value, field.type] = ['', type];
  }
  const walker = document.createTreeWalker(grid, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.textContent.trim() || node.parentElement.matches('option')) continue;
    range.selectNodeContents(node);
    for (const { left: l, right: r } of range.getClientRects())
      if (l < left - 1 || r > right + 1) bad.push(`outside the grid: ${node.textContent}`);
  }
  for (const target of grid.querySelectorAll('button, a, select, input:not([type=checkbox]), label.switch')) {
    const { width, height } = target.getBoundingClientRect();
    if (width < 44 || height < 44) bad.push(`${width} × ${height} points: ${name(target)}`);
  }
  // A label begins where its language begins.
  for (const label of grid.querySelectorAll('label')) {
    range.selectNodeContents(label);
    const rects = [...range.getClientRects()];
    const isAtStart = document.dir === 'rtl' ? rects.some(r => close(r.right, right)) : rects.some(r => close(r.left, left));
    if (!isAtStart) bad.push(`not where the line begins: ${name(label)}`);
  }
  return bad;
}"""

# The controls that a keyboard reaches, by the number of their row.
CONTROLS = """[...document.querySelectorAll('main > *')]
  .flatMap((row, n) => row.matches('button, a') ? [[row, n]] : [...row.querySelectorAll('input, select')].map(e => [e, n]))
  .filter(([element]) => !element.disabled)"""


VIOLATIONS = "axe.run().then(({ violations }) => violations.map(v => [v.id, ...v.nodes.map(n => n.html)]))"


class ScreensTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.pages = sorted(SCREENS.glob("*.html"))
        # Many states of two backends are the same page under another title.
        cls.distinct = list({file.read_text().partition("</title>")[2]: file for file in cls.pages}.values())

    def open(self, file, width=390, **options):
        """The page of a file, in a window of its own. Every complaint of the browser fails the test."""
        page = self.browser.window(viewport={"width": width, "height": 800}, **options)
        self.addCleanup(page.context.close)
        page.on("console", lambda message: self.assertNotIn(message.type, ("error", "warning"), message.text))
        page.goto(file.as_uri())
        return page

    def test_every_backend_and_language_is_there(self):
        names = {tuple(file.name.split(".")[:2]) for file in self.pages}
        languages = {language for _, language in names}
        self.assertEqual(names, {(name, language) for name in NAMES for language in languages})
        self.assertLessEqual({"en", "de", "en-XB"}, languages)

    def test_layout(self):
        page = self.open(self.pages[0])
        for file in self.distinct:
            page.goto(file.as_uri())
            for size in TEXT_SIZES:
                page.evaluate("size => document.documentElement.style.fontSize = size + '%'", size)
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": 800})
                    self.assertEqual(page.evaluate(LAYOUT, size), [], f"{file.name}, {width} points, text of {size} %")

    def test_axe_and_contrast(self):
        page = self.open(self.pages[0], width=320)
        page.add_init_script(Axe().axe_script)
        for file in self.distinct:
            page.goto(file.as_uri())
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                self.assertEqual(page.evaluate(VIOLATIONS), [], f"{file.name}, {scheme}")
                self.assertEqual(page.evaluate(CONTRASTS), [], f"{file.name}, {scheme}")

    def test_one_primary_action(self):
        page = self.open(self.pages[0])
        for file in self.pages:
            page.goto(file.as_uri())
            # While nothing but waiting can be done, there is none.
            others = page.locator("button:not(.quiet)").count()
            self.assertEqual(page.locator("button.primary").count(), 1 if others else 0, file.name)

    def test_errors(self):
        """An error stands below its field, is read with it, and has the focus. After one of the whole step it is in the
        password, which is empty again."""
        page, beside, above = self.open(self.pages[0]), 0, 0
        for file in self.pages:
            page.goto(file.as_uri())
            # A browser gives a field the focus when it draws the page, which may be after it has loaded it.
            page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            focused = page.evaluate("document.activeElement.id")
            wrong = page.locator("[aria-invalid]").all()
            for field in wrong:
                error = page.locator("#" + field.get_attribute("aria-describedby"))
                self.assertTrue(error.inner_text(), file.name)
                (box, words) = field.bounding_box(), error.bounding_box()
                self.assertLess(abs(words["y"] - box["y"] - box["height"]), 8, file.name)
            if wrong:
                self.assertEqual(focused, wrong[0].get_attribute("id"), file.name)
                beside += 1
            elif page.get_by_role("alert").count() and page.locator("input").count():
                self.assertTrue(page.evaluate("document.activeElement.matches('[type=password]')"), file.name)
                above += 1
            else:
                self.assertEqual(focused, "", file.name)
            # Outside the fields, an error is announced.
            self.assertEqual(page.locator("main > .problem:not([role=alert])").count(), 0, file.name)
        # At the two backends with a form, in each language, and beside fields of every kind.
        languages = len({file.name.split(".")[1] for file in self.pages})
        self.assertEqual((beside, above), (3 * languages, 2 * languages))

    def test_password_managers(self):
        """Each field has the role by which a password manager or a keyboard fills it in."""
        roles = {
            "username": "username", "email": "email", "password": "current-password", "code": "one-time-code", "phone": "tel",
            "nickname": "off",
        }
        page, seen = self.open(self.pages[0]), {}
        for file in self.distinct:
            page.goto(file.as_uri())
            seen |= page.evaluate("Object.fromEntries([...document.querySelectorAll('[autocomplete]')].map(e => [e.name, e.autocomplete]))")
        self.assertEqual(seen, roles)

    def test_order_of_the_keyboard(self):
        page = self.open(self.pages[0])
        for file in self.pages:
            page.goto(file.as_uri())
            rows = page.evaluate(f"{CONTROLS}.map(([, n]) => n)")
            self.assertTrue(rows, file.name)
            page.evaluate(f"{CONTROLS}[0][0].focus()")
            reached = []
            for _ in rows:
                reached.append(page.evaluate(f"{CONTROLS}.find(([e]) => e === document.activeElement)?.[1]"))
                page.keyboard.press("Tab")
            self.assertEqual(reached, rows, file.name)

    def test_pictures(self):
        """Keeps a sheet for each backend, and one of a state in the languages, schemes and sizes."""
        for backend in BACKENDS:
            self.sheet(f"screens-{backend}", [(file, "light", 100) for file in self.pages if file.name.startswith(backend + ".en.")])
        self.sheet("screens-rows", [(next(iter(SCREENS.glob("rows.en.*"))), scheme, 100) for scheme in SCHEMES])
        wrong = {file.name.split(".")[1]: file for file in self.pages if file.name.startswith("thunderid.") and self.state(file) == "wrong"}
        self.sheet("screens-languages", [
            (wrong["en"], "light", 100), (wrong["de"], "dark", 100), (wrong["en-XB"], "light", 100), (wrong["en-XB"], "dark", 200),
        ])

    def sheet(self, name, screens):
        figures = []
        page = self.open(self.pages[0], width=320)
        for file, scheme, size in screens:
            page.emulate_media(color_scheme=scheme)
            page.goto(file.as_uri())
            page.evaluate("size => document.documentElement.style.fontSize = size + '%'", size)
            picture = base64.b64encode(page.locator("main").screenshot()).decode()
            language = file.name.split(".")[1]
            details = "" if name != "screens-languages" else f", {language}, {scheme}, {size} %"
            figures.append(f'<figure><figcaption>{self.state(file)}{details}</figcaption><img src="data:image/png;base64,{picture}"></figure>')
        columns = min(4, len(figures))
        sheet = self.browser.window(viewport={"width": 336 * columns + 16, "height": 400})
        self.addCleanup(sheet.context.close)
        sheet.set_content(
            f"<style>body {{ margin: 16px; display: grid; grid-template-columns: repeat({columns}, 320px); gap: 16px }}"
            " body { background: #ddd; font: 14px sans-serif } figure { margin: 0 } figcaption { padding: 4px 0 } img { display: block }</style>"
            + "".join(figures))
        sheet.screenshot(path=PICTURES / f"{name}.png", full_page=True)

    def state(self, file):
        text = file.read_text()
        return text[text.index("<title>") + 7:text.index("</title>")]
