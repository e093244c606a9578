#if os(iOS) || os(macOS) || os(visionOS)
import XCTest

/// Signs in and out at each of three servers, as a person does, by changing nothing but the app's file.
///
/// The files are named by the environment; `.ci/mac ui` starts `identity serve` and writes them.
final class SwitchingUITests: XCTestCase {
    /// How long a person waits for anything, at most.
    private let patience: TimeInterval = 30

    @MainActor
    func testSignsInAtThunderID() throws { try signInAndOut("NOTES_THUNDERID", as: "ada") }

    @MainActor
    func testSignsInAtInsForge() throws { try signInAndOut("NOTES_INSFORGE", as: "ada@example.org") }

    @MainActor
    func testSignsInAtOpenIDConnect() throws { try signInAndOut("NOTES_OIDC", as: "ada", onPage: true) }

    /// - Parameter isOnPage: whether the server asks on its page, in the system's sheet.
    @MainActor
    private func signInAndOut(_ file: String, as name: String, onPage isOnPage: Bool = false) throws {
        continueAfterFailure = false
        let environment = ProcessInfo.processInfo.environment
        let password = try XCTUnwrap(environment["NOTES_PASSWORD"], "Set TEST_RUNNER_NOTES_PASSWORD.")
        let app = XCUIApplication()
        app.launchEnvironment["NOTES_FILE"] = try XCTUnwrap(environment[file], "Set TEST_RUNNER_\(file).")
        app.launch()

        press(app.buttons["identity-sign-in-work"])
        if isOnPage {
            let page = app.webViews.firstMatch
            type(name, into: page.textFields.firstMatch)
            type(password, into: page.secureTextFields.firstMatch)
            press(page.buttons.firstMatch)
        } else {
            type(name, into: app.textFields.firstMatch)
            // The return key of the last field presses the button.
            type(password + "\n", into: app.secureTextFields.firstMatch)
        }
        press(app.buttons["identity-sign-out"])
        XCTAssertTrue(
            app.buttons["identity-sign-in-work"].waitForExistence(timeout: patience), "Somebody is signed in.")
    }

    @MainActor
    private func type(_ text: String, into field: XCUIElement) {
        press(field)
        field.typeText(text)
    }

    @MainActor
    private func press(_ element: XCUIElement) {
        XCTAssertTrue(element.waitForExistence(timeout: patience), "This is not there: \(element)")
        #if os(macOS)
        element.click()
        #else
        element.tap()
        #endif
    }
}
#endif
