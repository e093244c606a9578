import IdentityKit
import IdentityTesting
import InsForge
import IdentityOAuth
import IdentityOAuthProviders
import Testing
import ThunderID
import ThunderIDSwiftUI

/// A file that imports everything can name everything: a model in its client's namespace, a view by its plain name. The
/// sample `Names` does the same with views.
@Suite struct ImportTests {
    @Test("Models that several clients have are named by their client")
    func models() {
        let models: [Any.Type] = [
            ThunderIDClient.User.self, ThunderIDClient.UserProfile.self, InsForgeClient.User.self,
            InsForgeClient.UserProfile.self, InsForgeClient.OAuthProvider.self,
        ]
        #expect(Set(models.map { String(reflecting: $0) }).count == models.count)
        #expect(ThunderIDClient.User.self == ThunderID.User.self)
        #expect(InsForgeClient.User.self == InsForge.User.self)
        #expect(InsForgeClient.OAuthProvider.self == InsForge.OAuthProvider.self)
    }

    @Test("Everything else is named as it is")
    func plainNames() {
        let types: [Any.Type] = [
            AccountProfile.self, AccountID.self, Credential.self, AuthorizationRequest.self, ThunderIDProvider.self,
            ThunderIDConfig.self, SignInOptions.self, ThunderIDState.self, SignInFlow.self, InsForgeProvider.self,
            Session.self, Profile.self, OAuthSessionProvider.self, ManualClock.self,
        ]
        #expect(types.count == 14)
    }
}
