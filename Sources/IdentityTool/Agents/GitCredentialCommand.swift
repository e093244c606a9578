import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity git-credential`: gives git tokens for the servers that the configuration names.
struct GitCredentialCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "git-credential",
        abstract: "Give git a token, for servers that the configuration names.",
        discussion: """
            Git calls it and says on standard input for which server. Only an address that a provider of the configuration \
            names has an answer: scheme, host and port are compared exactly, and a path by whole segments. Git tells a path \
            where credential.useHttpPath is on. For another address nothing is printed, the reason goes to standard error, \
            and git goes on with its next helper.

            A password that a server has refused is replaced: git says so with erase. Nothing is stored, because the token \
            is in the store already.

            EXAMPLES
              git config --global credential.helper '!identity git-credential'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions

    @Argument(help: "What git wants: get, store or erase. Git adds it.")
    var action: String

    func run(in call: ToolCall) async throws {
        // Ignore `store`, because the token is in the store already. Ignore unknown actions, as gitcredentials(7)
        // requires.
        guard ["get", "erase"].contains(action) else { return }
        do {
            let request = try await GitCredentialRequest(reading: call.context.input.stream)
            let destination = Destination(address: request.address)
            try await action == "get" ? answer(request, destination, in: call) : replace(request, destination, in: call)
        } catch let error as GitCredentialError {
            call.terminal.note("identity: \(error.message)")
        } catch let error as LineTooLongError {
            call.terminal.note("identity: \(error.message)")
        } catch let error as DestinationError {
            call.terminal.note("identity: \(error.message.visible)")
        } catch let error as ClientError where !error.asksForSignIn {
            call.terminal.note("identity: \(error.message.visible)")
        }
    }

    private func answer(_ request: GitCredentialRequest, _ destination: Destination, in call: ToolCall) async throws {
        let token = try await ToolSession.run(place, as: acting.named(in: call), in: call) {
            try await destination.token(in: $0)
        }
        if request.username == nil { try call.terminal.line("username=oauth2") }
        try call.terminal.line("password=\(token.value.reveal())")
        if let end = token.expiresAt {
            try call.terminal.line("password_expiry_utc=\(Int64(end.timeIntervalSince1970))")
        }
    }

    /// Replaces the account's token if it is the password that a server has refused. A valid token other than this password
    /// stays.
    private func replace(_ request: GitCredentialRequest, _ destination: Destination, in call: ToolCall) async throws {
        guard let refused = request.password, !refused.isEmpty else { return }
        try await ToolSession.run(place, as: acting.named(in: call), in: call) { session in
            _ = try await session.client.accessToken(
                as: try await destination.account(in: session), freshness: .other(than: refused))
        }
    }
}
