#if canImport(SwiftUI)
import SwiftUI

/// One of the texts of the views, in the chosen language. It needs `thunderIDProvider(config:)` above it.
public struct ThunderIDText: View {
    @EnvironmentObject private var state: ThunderIDState
    private let key: TextKey

    /// A text.
    public init(_ key: TextKey) { self.key = key }

    /// The text.
    public var body: some View { Text(verbatim: state.texts.text(key)) }
}
#endif
