import Foundation
import IdentityKit

func fetchToken(work: any IdentityProvider, home: any IdentityProvider) async throws -> String? {
    // snippet: falling-back
    let chain = try IdentityProviderChain([.init("work", work), .init("home", home)]) { event in
        print(event)  // such as: provider work: the user signed out
    }
    return try await chain.token(scopes: ["mail"])  // nil: nobody is signed in
    // end snippet
}
