import ArgumentParser
import Foundation
import IdentityKit
import IdentityOAuth

/// `identity client-document`: prints the OAuth Client ID Metadata Document of an app. The document describes the app
/// to servers at which it is not registered.
struct ClientDocumentCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "client-document",
        abstract: "Print the document that describes an app to servers.",
        discussion: """
            A server that takes such documents reads this one at its address, which is the client identifier (OAuth Client ID \
            Metadata Document). Publish it there, and name the address in the setting registration.metadataDocument.

            EXAMPLES
              identity client-document https://app.example.com/client.json
              identity client-document https://app.example.com/client.json --name Notes \\
                --redirect-uri com.example.app:/callback
            """)

    @Argument(help: "The address at which the document will be, with a path.")
    var url: String

    @Option(help: "The name that people see. The default is the host of the address.")
    var name: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: "Where the browser returns to. May be repeated. The default is http://127.0.0.1/callback.")
    var redirectURIs: [String] = []

    func validate() throws {
        guard let address = URL(typed: url), address.scheme == "https", !["", "/"].contains(address.path),
            address.fragment == nil, address.user == nil
        else { throw ValidationError("\"\(url)\" is no address of a document. Give one with https and a path.") }
        for address in redirectURIs where URL(string: address)?.scheme == nil {
            throw ValidationError("\"\(address)\" is no redirect URI.")
        }
    }

    func run(in call: ToolCall) async throws {
        guard let address = URL(typed: url) else { throw ValidationError("\"\(url)\" is no address.") }
        let places = redirectURIs.isEmpty ? ["http://127.0.0.1/callback"] : redirectURIs
        let client = ClientMetadata(redirectURIs: places.compactMap(URL.init(string:)), name: name ?? address.host)
        try call.terminal.json(JSONValue.object(client.document(at: address)))
    }
}
