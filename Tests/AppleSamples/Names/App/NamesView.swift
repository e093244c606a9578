import IdentityKit
import InsForge
import IdentityOAuth
import IdentityOAuthProviders
import SwiftUI
import ThunderID
import ThunderIDSwiftUI

/// Imports everything: a model is named in its client, a view by its plain name.
struct NamesView: View {
    let person: ThunderIDClient.User
    let record: ThunderIDClient.UserProfile
    let member: InsForgeClient.User
    let profile: InsForgeClient.UserProfile
    let social: InsForgeClient.OAuthProvider

    var body: some View {
        VStack {
            Text(verbatim: person.displayName ?? member.email)
            Text(verbatim: record.id)
            Text(verbatim: profile.name ?? social.rawValue)
            #if !os(tvOS) && !os(watchOS)
            SignIn(applicationId: "app")
            SignUp(applicationId: "app")
            SignedIn { Text(verbatim: "in") }
            SignedOut { Text(verbatim: "out") }
            #endif
        }
    }
}
