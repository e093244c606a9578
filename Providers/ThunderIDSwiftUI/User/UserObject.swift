#if canImport(SwiftUI)
import SwiftUI

/// The signed-in user's name, with the e-mail address and user name below it.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct UserObject: View {
    @EnvironmentObject private var i18n: ThunderIDI18n

    public init() {}

    /// The name, with the e-mail address and the user name below it if they differ from the name.
    public var body: some View {
        BaseUserObject { user in PersonName(name: i18n.texts.name(of: user), details: user?.profile.details ?? []) }
    }
}

/// A person's name, with details such as the e-mail address below it.
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

/// Passes the signed-in user to content that the app draws.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct BaseUserObject<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    private let content: (ThunderIDClient.User?) -> Content

    /// Creates a view from content of the app.
    /// - Parameter content: draws the user from the value of ``ThunderIDState/user``, which can be `nil`.
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
