#if canImport(SwiftUI)
import Combine
import IdentityKit
import IdentitySwiftUI
import SwiftUI

/// A form that shows the signed-in user's own record and can change it.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct UserProfile: View {
    private let form: ProfileFormView<ProfileFields>

    /// Creates a form.
    /// - Parameters:
    ///   - onSaved: called after the changes are saved and ``ThunderIDState/user`` has been looked up again.
    ///   - onError: called without a message if the changes are not saved. The form shows the reason if there is one.
    ///   - attributes: the names of the attributes to show, in order; `nil` for the default of
    ///     ``ProfileForm/init(client:attributes:)``.
    public init(
        onSaved: (() -> Void)? = nil, onError: (() -> Void)? = nil, attributes: [String]? = nil
    ) {
        form = ProfileFormView(attributes, onSaved, onError) { ProfileFields(form: $0, save: $1) }
    }

    public var body: some View { form }
}

/// The signed-in user's own record in a form that the app draws.
///
/// The view requires `thunderIDProvider(config:)` on a view above it.
public struct BaseUserProfile<Content: View>: View {
    private let form: ProfileFormView<BoundFields<Content>>

    /// Creates a form.
    /// - Parameters:
    ///   - onSaved: called after the changes are saved and ``ThunderIDState/user`` has been looked up again.
    ///   - onError: called without a message if the changes cannot be saved. `content` gets the message.
    ///   - attributes: the names of the attributes to show; `nil` for the default of ``ProfileForm/init(client:attributes:)``.
    ///   - content: draws the form from five arguments: the record, `nil` until it is read; the values of the editable
    ///     attributes by name; whether a request is in progress; the error message, `nil` without an error; and a function
    ///     that saves the values, or reads the record if no record has been read yet.
    public init(
        onSaved: (() -> Void)? = nil, onError: (() -> Void)? = nil, attributes: [String]? = nil,
        @ViewBuilder content:
            @escaping (
                ThunderIDClient.UserProfile?, [String: Binding<String>], Bool, String?, @escaping () -> Void
            ) -> Content
    ) {
        form = ProfileFormView(attributes, onSaved, onError) { BoundFields(form: $0, save: $1, content: content) }
    }

    public var body: some View { form }
}

/// Reads the signed-in user's record when the form appears or the user changes, and saves the record.
private struct ProfileFormView<Content: View>: View {
    @EnvironmentObject private var state: ThunderIDState
    @StateObject private var form: ProfileForm
    private let onSaved: (() -> Void)?
    private let onError: (() -> Void)?
    private let content: (ProfileForm, @escaping () -> Void) -> Content

    init(
        _ attributes: [String]?, _ onSaved: (() -> Void)?, _ onError: (() -> Void)?,
        content: @escaping (ProfileForm, @escaping () -> Void) -> Content
    ) {
        _form = StateObject(wrappedValue: ProfileForm(attributes: attributes))
        self.onSaved = onSaved
        self.onError = onError
        self.content = content
    }

    var body: some View {
        content(form, save).task(id: state.isSignedIn ? state.user?.sub ?? "" : nil) { await form.load(below: state) }
    }

    private func save() {
        Task {
            // If there is no record yet, read the record instead of saving.
            guard form.profile != nil else { return await form.load(below: state) }
            guard await form.save() else { return onError?() ?? () }
            await state.refresh()
            onSaved?()
        }
    }
}

private struct BoundFields<Content: View>: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    @ObservedObject var form: ProfileForm
    let save: () -> Void
    let content:
        (ThunderIDClient.UserProfile?, [String: Binding<String>], Bool, String?, @escaping () -> Void) -> Content

    var body: some View {
        let fields = form.editable.map { ($0.name, form.binding(for: $0.name)) }
        content(
            form.profile, Dictionary(fields) { first, _ in first }, form.isLoading,
            form.message(in: i18n.texts), save)
    }
}

private struct ProfileFields: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    @ObservedObject var form: ProfileForm
    let save: () -> Void
    @FocusState private var focus: String?

    var body: some View {
        ThemedColumn {
            Text(verbatim: i18n.texts.text(.userProfileTitle)).font(.headline).accessibilityAddTraits(.isHeader)
            if let failure = form.failure {
                ProblemText(i18n.texts.text(for: failure), identifier: ElementIdentifier.problem)
            }
            ForEach(form.fields) { ProfileField(form: form, field: $0, focus: $focus) }
            if form.isLoading, form.profile == nil { Text(verbatim: i18n.texts.text(.userProfileLoading)) }
            button
        }
        .disabled(form.isLoading)
    }

    @ViewBuilder private var button: some View {
        if form.profile != nil {
            RankedButton(
                i18n.texts.text(form.isLoading ? .userProfileSaving : .userProfileSave), rank: .primary,
                isEnabled: form.hasChanges, identifier: ElementIdentifier.saveProfile, action: save)
        } else if form.failure != nil {
            RankedButton(i18n.texts.text(.signInTryAgain), rank: .secondary, action: save)
        }
    }
}

private struct ProfileField: View {
    @EnvironmentObject private var i18n: ThunderIDI18n
    @ObservedObject var form: ProfileForm
    let field: ProfileForm.Field
    let focus: FocusState<String?>.Binding

    var body: some View {
        if field.isReadOnly, kind == .text {
            Text(verbatim: look.label).font(.subheadline).accessibilityHidden(true)
            Text(verbatim: form.value(for: field.name))
                .accessibilityLabel(Text(verbatim: look.label)).accessibilityIdentifier(look.identifier)
        } else {
            FieldRow(
                .init(identifier: field.name, label: look.label, kind: kind), look,
                value: form.binding(for: field.name),
                focus: focus, isLast: false
            ) {
                let names = form.editable.map(\.name)
                focus.wrappedValue = names.drop { $0 != field.name }.dropFirst().first
            }
            .disabled(field.isReadOnly)
        }
    }

    /// The kind of field. Numbers are entered as text, because a numeric keyboard has no minus sign.
    private var kind: SignInPrompt.Field.Kind { field.kind == .boolean ? .boolean : .text }

    private var look: FieldRow.Look {
        FieldRow.Look(
            label: i18n.texts.label(of: field), problem: form.problems[field.name].map { i18n.texts.text($0) },
            identifier: ElementIdentifier.field(field.name), problemIdentifier: ElementIdentifier.problem)
    }
}

extension ProfileForm {
    /// The message about ``failure``, or else about the first editable field with an error; `nil` without an error.
    func message(in texts: ThunderIDTexts) -> String? {
        if let failure { return texts.text(for: failure) }
        let problem = editable.lazy.compactMap { field in self.problems[field.name].map { (field, $0) } }.first
        return problem.map { "\(texts.label(of: $0.0)): \(texts.text($0.1))" }
    }

    /// The value of a field as a binding for SwiftUI's text fields.
    public func binding(for name: String) -> Binding<String> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[value: name]]
    }

    private subscript(value name: String) -> String {
        get { value(for: name) }
        set { setValue(newValue, for: name) }
    }
}

struct UserProfilePreviews: PreviewProvider {
    static var previews: some View {
        Preview.signedIn { UserProfile() }
    }
}
#endif
