#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A field with its error. Hides passwords and, where the system supports that, sets the keyboard and the suggestions for
/// the kind of field.
package struct FieldRow: View {
    /// Texts of a field, and identifiers of its elements for UI tests.
    package struct Look {
        package let label: String
        let problem: String?
        /// Labels of the buttons of a date field; `nil` to show a text field for dates.
        let dateButtons: DateRow.Buttons?
        package let identifier: String
        let problemIdentifier: String

        package init(
            label: String, problem: String?, dateButtons: DateRow.Buttons? = nil, identifier: String,
            problemIdentifier: String
        ) {
            (self.label, self.problem, self.dateButtons) = (label, problem, dateButtons)
            (self.identifier, self.problemIdentifier) = (identifier, problemIdentifier)
        }
    }

    private let field: SignInPrompt.Field
    private let look: Look
    private let value: Binding<String>
    private let hasDigitsOnly: Bool
    private let focus: FocusState<String?>.Binding
    private let isLast: Bool
    private let moveOn: () -> Void

    /// Creates the row of a field.
    /// - Parameters:
    ///   - hasDigitsOnly: whether a one-time code has only digits. The system then shows a number pad.
    ///   - isLast: whether the field is the last of its step. The label of the return key depends on this.
    ///   - moveOn: the action of the return key.
    package init(
        _ field: SignInPrompt.Field, _ look: Look, value: Binding<String>, hasDigitsOnly: Bool = false,
        focus: FocusState<String?>.Binding, isLast: Bool, moveOn: @escaping () -> Void
    ) {
        (self.field, self.look, self.value, self.hasDigitsOnly) = (field, look, value, hasDigitsOnly)
        (self.focus, self.isLast, self.moveOn) = (focus, isLast, moveOn)
    }

    package var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            control.accessibilityIdentifier(look.identifier)
            if let problem = look.problem { ProblemText(problem, identifier: look.problemIdentifier) }
        }
    }

    @ViewBuilder private var control: some View {
        if !field.options.isEmpty {
            Picker(selection: value) {
                Text(verbatim: "–").tag("")
                ForEach(field.options, id: \.self) { Text(verbatim: $0).tag($0) }
            } label: {
                label
            }
        } else if field.kind == .boolean {
            Toggle(isOn: value.isOn) { label }
        } else if field.kind == .date, let buttons = look.dateButtons {
            DateRow(label: look.label, isRequired: field.isRequired, buttons: buttons, value: value)
        } else {
            label.font(.subheadline).accessibilityHidden(true)
            textField
                .framed()
                .focused(focus, equals: field.identifier)
                .submitLabel(isLast ? .go : .next)
                .onSubmit(moveOn)
                .autocorrectionDisabled()
                .accessibilityLabel(label)
                .accessibilityHint(Text(verbatim: look.problem ?? ""))
                .modifier(Suggestion(role: field.autofill, kind: field.kind, hasDigitsOnly: hasDigitsOnly))
        }
    }

    @ViewBuilder private var textField: some View {
        // Do not hide a one-time code: the system can fill the code in, and the code soon expires.
        if field.kind == .password {
            SecureField(text: value, prompt: prompt) { label }
        } else {
            TextField(text: value, prompt: prompt) { label }
        }
    }

    private var label: Text { Text(verbatim: look.label) }
    private var prompt: Text? { field.placeholder.map { Text(verbatim: $0) } }
}

extension String {
    /// Value of a switch, which is sent as `true` or `false`.
    fileprivate var isOn: Bool {
        get { self == "true" }
        set { self = newValue ? "true" : "false" }
    }
}

/// Configures the system's suggestions and the keyboard for a field. macOS has only suggestions, tvOS and watchOS have
/// neither.
private struct Suggestion: ViewModifier {
    let role: SignInPrompt.Field.AutofillRole?
    let kind: SignInPrompt.Field.Kind
    let hasDigitsOnly: Bool

    func body(content: Content) -> some View {
        #if os(iOS) || os(visionOS)
        content.textContentType(contentType).keyboardType(keyboard).textInputAutocapitalization(.never)
        #elseif os(macOS)
        content.textContentType(contentType)
        #else
        content
        #endif
    }

    #if os(iOS) || os(visionOS)
    private var contentType: UITextContentType? {
        switch role {
        case .username: .username
        case .password: .password
        case .newPassword: .newPassword
        case .oneTimeCode: .oneTimeCode
        case .emailAddress: .emailAddress
        case .telephoneNumber: .telephoneNumber
        case nil: nil
        }
    }

    private var keyboard: UIKeyboardType {
        switch kind {
        // A one-time code may contain letters unless it is known to have digits only.
        case .oneTimeCode: hasDigitsOnly ? .numberPad : .asciiCapable
        case .number: .decimalPad
        case .email: .emailAddress
        case .phone: .phonePad
        case .text, .username, .password, .date, .boolean, .choice: .default
        }
    }
    #elseif os(macOS)
    private var contentType: NSTextContentType? {
        switch role {
        case .username: .username
        case .password: .password
        case .oneTimeCode: .oneTimeCode
        case .newPassword, .emailAddress, .telephoneNumber, nil: nil
        }
    }
    #endif
}
#endif
