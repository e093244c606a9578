import Testing
import ThunderIDSwiftUI

/// What an app that imports the views alone can name.
@Suite struct ImportTests {
    @Test("The views bring the configuration and the errors with them")
    func names() {
        let config = ThunderIDConfig(baseUrl: "https://id.example.com", clientId: "app")
        #expect(config.clientId == "app")
        #expect(IAMError(.invalidInput, "No.").code == .invalidInput)
    }
}
