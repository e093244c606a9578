import SwiftUI
import ThunderIDSwiftUI

/// Uses each component, with every argument that ThunderID's SDK documents.
struct ComponentsView: View {
    @EnvironmentObject var state: ThunderIDState
    @State private var isRegistering = false
    @State private var callback: URL?

    var body: some View {
        if !state.isInitialized {
            ProgressView()
        } else {
            SignedIn {
                HomeView()
            } fallback: {
                WelcomeView(isRegistering: $isRegistering)
            }
            SignedOut(content: { Text("Not signed in") }, fallback: { EmptyView() })
            if let callback { Callback(url: callback, onComplete: { self.callback = nil }, onError: { print($0) }) }
            Loading()
            Loading { Text("One moment") }
        }
    }
}

/// What is there without a user.
struct WelcomeView: View {
    @Binding var isRegistering: Bool

    var body: some View {
        VStack {
            SignIn(applicationId: "notes", onComplete: { print("signed in") }, onError: { print($0) })
            SignUp(applicationId: "notes", onComplete: { print("registered") }, onError: { print($0) })
            SignInButton()
            SignInButton(onTap: { isRegistering = false })
            SignInButton(accessibilityIdentifier: "sign-in", onTap: { isRegistering = false })
            SignUpButton()
            SignUpButton(onTap: { isRegistering = true })
            SignUpButton { isRegistering = true }
            BrandedButton(.google) { isRegistering = false }
            PasskeyButton { isRegistering = false }
        }
    }
}

/// What is there with a user.
struct HomeView: View {
    @EnvironmentObject var state: ThunderIDState
    @State private var showsProfile = false

    var body: some View {
        VStack {
            Text("Welcome, \(state.user?.displayName ?? "")")
            UserObject()
            UserAvatar()
            UserAvatar(size: 64)
            UserDropdown(onProfileTap: { showsProfile = true }, onSignOutComplete: { print("signed out") })
            if showsProfile { UserProfile(onSaved: { showsProfile = false }, onError: { print("not saved") }) }
            LanguageSwitcher()
            LanguageSwitcher(locales: ["en", "de"])
            SignOutButton()
            SignOutButton(onSignOutComplete: { print("signed out") })
        }
        SignOutButton { print("signed out") }
    }
}

/// The same, drawn by the app.
struct OwnViews: View {
    @EnvironmentObject var state: ThunderIDState

    var body: some View {
        VStack {
            BaseSignIn(applicationId: "notes", onComplete: { print("signed in") }, onError: { print($0) }) {
                (signIn: SignInState) in
                TextField("User name", text: signIn.binding(for: "username"))
                ForEach(signIn.actions, id: \.id) { action in
                    Button(action.label ?? "Submit") { signIn.submit(actionId: action.id) }.disabled(signIn.isLoading)
                }
            }
            BaseSignUp(applicationId: "notes", onComplete: { print("registered") }, onError: { print($0) }) {
                (signUp: SignUpState) in Text(signUp.error ?? "")
            }
            BaseSignInButton(label: "Sign in", isLoading: state.isLoading) { print("sign in") }
            BaseSignUpButton(label: "Sign up") { print("sign up") }
            BaseSignOutButton(label: "Log out", isLoading: state.isLoading) {
                Task {
                    _ = try? await state.client.signOut()
                    await state.refresh()
                }
            }
        }
        VStack {
            BaseUserObject { user in Text(user?.displayName ?? "Nobody") }
            BaseUserAvatar(user: state.user)
            BaseUserAvatar(user: state.user, size: 24)
            BaseUserDropdown { user, isOpen, toggle, signOut in
                Button(user?.displayName ?? "Nobody") { toggle() }
                if isOpen { Button("Sign out") { signOut() } }
            }
            BaseUserProfile(onSaved: { print("saved") }, onError: { print("not saved") }) {
                profile, fields, isLoading, error, save in
                Text(error ?? profile?.id ?? "")
                ForEach(fields.keys.sorted(), id: \.self) { name in
                    if let value = fields[name] { TextField(name, text: value) }
                }
                Button("Save") { save() }.disabled(isLoading)
            }
            BaseLanguageSwitcher(locales: ["en", "de"]) { languages, active, select in
                ForEach(languages, id: \.self) { language in
                    Button(language) { select(language) }.disabled(language == active)
                }
            }
            LogoView(spec: "avatar:variant=anonymous_animal,content=otter")
            LogoView(spec: "", fallbackSeedText: "Notes")
            LogoView(resolved: resolveLogoSpec("emoji:🛡️", fallbackSeedText: "Notes"))
            AvatarView(spec: AvatarSpec(shape: .circle, variant: .twoLetter, content: "BM", colors: 2, bg: nil))
        }
    }
}

/// A callback that the app draws.
struct OwnCallback: View {
    let url: URL

    var body: some View {
        BaseCallback(url: url) { result in
            switch result {
            case .success: print("signed in")
            case .failure(let error): print(error)
            }
        } content: { isLoading, error in
            Text(isLoading ? "One moment" : error ?? "Done")
        }
    }
}
