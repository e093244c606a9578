import Foundation
import IdentityKit

func fetchToken(work: any IdentityProvider, home: any IdentityProvider) async throws -> String? {
    // snippet: falling-back
    let chain = try IdentityProviderChain([.init("work", work), .init("home", home)]) { event in
        print(event)  // such as: provider work: the user signed out
    }

    guard let account = try await chain.activeAccount(scopes: ["mail"], deviceToken: "device-1") else { return nil }
    return try await chain.accessToken(for: account, scopes: ["mail"])
    // end snippet
}
