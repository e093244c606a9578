#if canImport(SwiftUI) && DEBUG
import IdentityKit
import SwiftUI

/// Makes clients and rows for previews. The clients send no requests.
private enum Preview {
    static let person = AccountID(account: "ada", realm: "work")

    /// Returns a client with or without a signed-in account.
    static func client(isSignedIn: Bool) -> IdentityClient {
        let store = MemoryTokenStore()
        let environment = IdentityEnvironment(store: store, prompter: SignInEngine())
        guard isSignedIn else {
            return IdentityClient(
                provider: StoredAccountProvider(realm: "work", backend: "https://id.example.com", store: store),
                environment: environment)
        }
        return IdentityClient(provider: StaticTokenProvider(token: "token", account: person), environment: environment)
    }

    /// Returns the rows of an empty screen after `change` has set its properties.
    @MainActor static func rows(_ change: (inout SignInScreen) -> Void) -> some View {
        var screen = SignInScreen()
        change(&screen)
        return SignInRows(
            model: SignInModel(client(isSignedIn: false), showing: screen), texts: .english, showsTitle: true
        )
        .padding()
    }
}

struct SignInViewPreviews: PreviewProvider {
    static var previews: some View {
        SignInView(Preview.client(isSignedIn: false))
        Preview.rows {
            $0.backends = [.init(name: "work", label: "GitLab", host: "gitlab.com", vendor: "gitlab")]
            $0.people = [.init(account: Preview.person, name: "Ada Lovelace")]
        }
        Preview.rows {
            $0.prompt = SignInPrompt(
                provider: "work", problem: "The e-mail address or the password is wrong. Try again.",
                fields: [
                    .init(identifier: "email", label: "E-mail address", kind: .email),
                    .init(identifier: "password", label: "Password", kind: .password),
                ],
                actions: [
                    .init(identifier: "sign-in", label: "Sign in"),
                    .init(identifier: "passkey", label: "Use a passkey", purpose: .passkey),
                ])
            $0.problems = ["password": .needed]
        }
        Preview.rows {
            guard let page = URL(string: "https://id.example.com/device") else { return }
            $0.deviceCode = DeviceCode(
                userCode: "WDJB-MJHT", verificationURI: page, verificationURIComplete: page, expiresAt: .distantFuture)
        }
        Preview.rows { $0.isBusy = true }
    }
}

struct IdentityViewPreviews: PreviewProvider {
    static var previews: some View {
        let client = Preview.client(isSignedIn: true)
        IdentityView(client) { account in Text(verbatim: account.account) }
        BaseSignInView(client) { model in Text(verbatim: model.screen.notice == nil ? "" : "!") }
        AccountSwitcher(client)
        AccountButton(client)
        SessionBanner(client)
    }
}
#endif
