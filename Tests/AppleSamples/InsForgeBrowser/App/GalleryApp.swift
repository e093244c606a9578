import InsForge
import SwiftUI

/// Sign-in in the browser: with InsForge's own page, or with an identity provider at once.
@main
struct GalleryApp: App {
    @StateObject private var client = InsForgeClient(baseURL: GalleryApp.address, anonKey: "anon_0123")

    private static let address = URL(string: "https://gallery.insforge.app") ?? URL(fileURLWithPath: "/")

    var body: some Scene {
        WindowGroup {
            GalleryView()
                .environmentObject(client)
                .onOpenURL { url in
                    Task {
                        do {
                            let response = try await client.auth.handleAuthCallback(url)
                            print(response.user.email)
                        } catch {
                            print(error.localizedDescription)
                        }
                    }
                }
        }
    }
}

struct GalleryView: View {
    @EnvironmentObject var client: InsForgeClient
    @State private var problem: String?

    var body: some View {
        VStack(spacing: 12) {
            Text("Welcome").font(.largeTitle).fontWeight(.bold)
            button(for: .google, title: "Continue with Google", icon: "g.circle.fill")
            button(for: .github, title: "Continue with GitHub", icon: "chevron.left.forwardslash.chevron.right")
            button(for: .apple, title: "Continue with Apple", icon: "apple.logo")
            Button("Sign in on the project's page") {
                let page = client.auth.signInWithDefaultView(redirectTo: "com.example.gallery://auth/callback")
                #if os(macOS)
                NSWorkspace.shared.open(page)
                #elseif !os(watchOS)
                UIApplication.shared.open(page)
                #endif
            }
            if let problem { Text(problem).foregroundColor(.red).font(.caption) }
        }
        .padding()
    }

    @ViewBuilder
    func button(for provider: OAuthProvider, title: String, icon: String) -> some View {
        Button {
            Task {
                do {
                    try await client.auth.signInWithOAuthView(
                        provider: provider, redirectTo: "com.example.gallery://auth/callback")
                } catch {
                    problem = error.localizedDescription
                }
            }
        } label: {
            HStack {
                Image(systemName: icon)
                Text(title)
            }
            .frame(maxWidth: .infinity)
            .padding(.vertical, 12)
        }
        .buttonStyle(.bordered)
    }
}
