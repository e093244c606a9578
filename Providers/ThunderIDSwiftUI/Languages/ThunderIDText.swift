#if canImport(SwiftUI)
import SwiftUI

/// Shows a text of the views in the chosen language. It needs `thunderIDProvider(config:)` above it.
public struct ThunderIDText: View {
    @EnvironmentObject private var state: ThunderIDState
    private let key: TextKey

    public init(_ key: TextKey) { self.key = key }

    public var body: some View { Text(verbatim: state.texts.text(key)) }
}
#endif
