import Foundation
import TestSupport
import Testing

/// The article's table has every symbol of the page, and every test it names exists.
@Suite struct ClientArticleTests {
    private static let root = PackageFolder.url

    private static let symbols = [
        "ThunderIDClient", "initialize(config:storage:)", "reInitialize(baseUrl:clientId:)", "getConfiguration()",
        "signIn(payload:request:sessionId:)", "signUp(payload:request:)", "buildSignInURL(options:)",
        "handleRedirectCallback(url:)", "isSignedIn(sessionId:)", "signOut(options:sessionId:)",
        "clearSession(sessionId:)", "isLoading()", "getAccessToken(sessionId:)", "decodeJwtToken(_:)",
        "exchangeToken(config:sessionId:)", "getUser(options:)", "getUserProfile(options:)",
        "updateUserProfile(payload:userId:)", "ThunderIDConfig", "StorageAdapter", "KeychainStorageAdapter",
        "EmbeddedSignInPayload", "EmbeddedFlowRequestConfig", "EmbeddedFlowResponse", "FlowStatus", "FlowInput",
        "FlowAction", "SignInOptions", "SignOutOptions", "TokenExchangeRequestConfig", "TokenResponse", "User",
        "UserProfile", "AnyCodable", "IAMError",
    ]

    private func rows() throws -> [(symbol: String, suite: String, test: String)] {
        let article = Self.root.appendingPathComponent("Providers/ThunderID/ThunderID.docc/TheDocumentedClient.md")
        return try String(contentsOf: article, encoding: .utf8)
            .matches(of: /\n\| `([^`]+)` \|[^|]*\| `(\w+)\.(\w+)`/)
            .map { (String($0.output.1), String($0.output.2), String($0.output.3)) }
    }

    @Test("Every symbol of the page has its row", arguments: symbols)
    func symbol(name: String) throws {
        #expect(try rows().contains { $0.symbol == name })
    }

    @Test("Every test that a row names is there")
    func tests() throws {
        let folder = Self.root.appendingPathComponent("Tests/ThunderIDTests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        var sources: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            sources[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        let rows = try rows()
        #expect(rows.count > Self.symbols.count)
        for row in rows {
            #expect(sources[row.suite]?.contains("func \(row.test)(") == true, "\(row.suite).\(row.test)")
        }
    }
}
