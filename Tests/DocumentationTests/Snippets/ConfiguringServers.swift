import IdentityLocalServers
import Testing

/// What the comments say of the local ThunderID server's configuration.
@Suite struct ConfiguringServers {
    @Test("A configuration says what is different") func configuration() {
        // snippet: a-configuration
        let configuration = LocalThunderIDServer.Configuration {
            $0.signIn.steps = [.oneTimeCode(.email)]
            $0.issuer = "https://id.example.org/"
        }
        // end snippet
        #expect(configuration.issuer == "https://id.example.org/")
        #expect(configuration.signIn.steps.count == 1)
    }

    @Test("A sign-in flow is put together") func signInFlow() {
        // snippet: a-sign-in-flow
        let withCode = LocalThunderIDServer.SignInFlow(steps: [.oneTimeCode(.sms)])
        let withChoice = LocalThunderIDServer.SignInFlow(methods: [.password, .passkey], steps: [.consent()])
        // end snippet
        #expect(withCode.steps.count == 1)
        #expect(withChoice.methods.count == 2)
    }
}
