import IdentityKit
import SwiftUI

// snippet: a-screen-for-each-state
struct AccountView: View {
    @StateObject var session: IdentityState

    var body: some View {
        switch session.state {
        case .unknown: ProgressView().task { await session.refresh() }
        case .signedOut: Button("Sign in") { Task { await session.signIn() } }
        case .signedIn(let account): HomeView(account: account)
        }
    }
}
// end snippet

struct HomeView: View {
    let account: AccountID

    var body: some View {
        Text(account.id)
    }
}
