import IdentityKit
import IdentityTerminal

func signInAtATerminal(_ configuration: IdentityConfiguration, _ registry: ProviderRegistry) async throws -> AccountID {
    // snippet: signing-in-at-a-terminal
    let code = TerminalDeviceCodePresenter()
    let client = try IdentityClient(
        configuration: configuration, registry: registry, prompter: TerminalPrompter(), deviceCodePresenter: code)
    let account = try await client.signIn()
    await code.stop()
    // end snippet
    return account
}
