#if canImport(SwiftUI)
import SwiftUI

/// Shows what the signed-in user is called, and below it what else they are known by.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct UserObject: View {
    @EnvironmentObject private var i18n: ThunderIDI18n

    public init() {}

    /// The name, with the e-mail address and the user name below it.
    public var body: some View {
        BaseUserObject { user in PersonName(name: i18n.texts.name(of: user), details: user?.profile.details ?? []) }
    }
}

/// The name of a person, and below it the other names that they are known by.
struct PersonName: View {
    let name: String
    let details: [String]

    var body: some View {
        VStack(alignment: .leading) {
            Text(verbatim: name)
            ForEach(details, id: \.self) { detail in
                Text(verbatim: detail).font(.caption).foregroundStyle(.secondary)
            }
        }
        .accessibilityElement(children: .combine)
    }
}

/// Passes the signed-in user to what the app draws.
///
/// It needs `thunderIDProvider(config:)` above it.
public struct BaseUserObject<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let content: (ThunderIDClient.User?) -> Content

    /// Creates the view.
    /// - Parameter content: draws the user; `nil` for nobody.
    public init(@ViewBuilder content: @escaping (ThunderIDClient.User?) -> Content) {
        self.content = content
    }

    public var body: some View { content(state.user) }
}

struct UserObjectPreviews: PreviewProvider {
    static var previews: some View {
        Preview.both { UserObject() }
    }
}
#endif
