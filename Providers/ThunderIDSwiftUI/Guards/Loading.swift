#if canImport(SwiftUI)
import SwiftUI

/// Shows its content until the first lookup of the user has finished, and during a sign-in on the server's page
/// or a sign-out.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct Loading<Indicator: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let indicator: Indicator

    public init(@ViewBuilder indicator: () -> Indicator) {
        self.indicator = indicator()
    }

    /// The indicator during the first lookup, a sign-in on the server's page, or a sign-out; otherwise nothing.
    public var body: some View {
        if state.isBusy { indicator }
    }
}

extension Loading where Indicator == ProgressView<EmptyView, EmptyView> {
    /// Creates a view with the system's progress indicator.
    public init() {
        self.init { ProgressView() }
    }
}

struct LoadingPreviews: PreviewProvider {
    static var previews: some View {
        Loading().environmentObject(
            ThunderIDState(config: ThunderIDConfig(baseUrl: "https://id.example.com")))
    }
}
#endif
