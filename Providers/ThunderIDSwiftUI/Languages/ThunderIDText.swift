#if canImport(SwiftUI)
import SwiftUI

/// Shows a text of the views in the chosen language.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct ThunderIDText: View {
    @EnvironmentObject private var state: ThunderIDState
    private let key: TextKey

    public init(_ key: TextKey) { self.key = key }

    public var body: some View { Text(verbatim: state.texts.text(key)) }
}
#endif
