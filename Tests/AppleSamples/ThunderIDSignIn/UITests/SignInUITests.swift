#if os(iOS) || os(macOS) || os(visionOS)
import XCTest

/// Signs in at a running server, as a person does: fills in the two fields, presses the button, and signs out again.
///
/// The server is named by the environment; `.ci/mac ui` starts `identity serve` and names it.
final class SignInUITests: XCTestCase {
    /// How long a person waits for anything, at most.
    private let patience: TimeInterval = 30

    @MainActor
    func testSignsInAndOut() throws {
        continueAfterFailure = false
        let app = XCUIApplication()
        let environment = ProcessInfo.processInfo.environment
        for name in ["NOTES_SERVER", "NOTES_CLIENT", "NOTES_APPLICATION", "NOTES_CALLBACK"] {
            app.launchEnvironment[name] = try XCTUnwrap(environment[name], "Set TEST_RUNNER_\(name).")
        }
        let password = try XCTUnwrap(environment["NOTES_PASSWORD"], "Set TEST_RUNNER_NOTES_PASSWORD.")
        app.launch()

        type("ada", into: app.textFields["thunderid-field-username"])
        type(password, into: app.secureTextFields["thunderid-field-password"])
        press(app.buttons["thunderid-action-action_001"])

        // It is there for whoever is signed in, and nobody else.
        press(app.buttons["Sign out"])
        XCTAssertTrue(
            app.textFields["thunderid-field-username"].waitForExistence(timeout: patience), "Somebody is signed in.")
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
