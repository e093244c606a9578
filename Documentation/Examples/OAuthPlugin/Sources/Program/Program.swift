import Foundation
import IdentityKit
import IdentityOAuthProviders
import Tidewater

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `tides FILE ADDRESS`: signs in with what the file names, and calls an API.
@main
struct Program {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let file = arguments.first, let address = arguments.dropFirst().first.flatMap(URL.init(string:)) else {
            return complain("usage: tides FILE ADDRESS")
        }
        do {
            try await run(URL(fileURLWithPath: file), address)
        } catch let failure as any IdentityFailure {
            complain(failure.message)
        } catch is CancellationError {
            complain("The sign-in was cancelled.")
        } catch {
            complain("\(error)")
        }
    }

    private static func run(_ file: URL, _ address: URL) async throws {
        // snippet: registering-beside-another
        let registry = ProviderRegistry([TidewaterPlugin.self, OpenIDConnectPlugin.self])
        // end snippet
        let browser = LoopbackWebAuthenticator { page, _ in
            print("Open this page to sign in:\n  \(page.absoluteString)")
        }
        let client = try IdentityClient(
            configuration: IdentityConfiguration(contentsOf: file), registry: registry, webAuthenticator: browser)
        let account = try await client.signIn()
        let profile = try await client.summary(of: account)?.profile
        print("Signed in with \(account.realm) as \(profile?.label ?? account.account).")
        let (data, response) = try await client.data(for: URLRequest(url: address))
        print(response.statusCode, String(decoding: data, as: UTF8.self))
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
        exit(1)
    }
}
