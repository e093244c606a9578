import ArgumentParser
import IdentityKit

/// `identity mcp`: connects a program to an MCP server, and sends the tokens of one account with the program's
/// requests. The program itself need not be able to sign in.
struct MCPCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Connect a program to a server of the Model Context Protocol.",
        discussion: """
            The program speaks over standard input and output, one message in a line, and the server over HTTP. Each request \
            gets a token of the one account that the command begins with. Where nobody is signed in, the page of a sign-in is \
            shown first, by one of all processes that need it. Everything for people goes to standard error.

            A request whose response was lost is answered with an error, because the server may have acted on it. Requests \
            that only read are sent once more.

            EXAMPLES
              identity mcp https://notes.example.com/mcp
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions

    @Argument(help: "The address of the server, or the provider of the configuration that names it.")
    var server: String

    func run(in call: ToolCall) async throws {
        let named = acting.named(in: call)
        try await SharedSignIn(server: server, named: named, place: place, call: call).run()
        try await ToolSession.run(place, as: named, in: call) { [server, place] session in
            guard let known = try MCPServer(server, in: session.configuration, session.call),
                let account = try await known.account(in: session)
            else { throw ClientError.notSignedIn("") }
            let forwarder = MCPForwarder(to: known, as: account, in: session, place.verbosity)
            try await MCPBridge(call.context.input.stream, forwarder, clock: call.context.clock).run()
        }
    }
}
