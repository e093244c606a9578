#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A field with its error: the right keyboard, the system's suggestions, and nothing shown that must not be.
struct FieldRow: View {
    @ObservedObject var model: SignInModel
    let field: SignInPrompt.Field
    let label: String
    let problem: String?
    let focus: FocusState<String?>.Binding
    let moveOn: () -> Void

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            control.accessibilityIdentifier("identity.field.\(field.identifier)")
            if let problem { Text(verbatim: problem).foregroundColor(.red) }
        }
    }

    @ViewBuilder private var control: some View {
        if !field.options.isEmpty {
            Picker(selection: value) {
                Text(verbatim: "–").tag("")
                ForEach(field.options, id: \.self) { Text(verbatim: $0).tag($0) }
            } label: {
                Text(verbatim: label)
            }
        } else if field.kind == .boolean {
            Toggle(isOn: model.binding(forSwitch: field.identifier)) { Text(verbatim: label) }
        } else {
            Text(verbatim: label).font(.subheadline).accessibilityHidden(true)
            textField
                .focused(focus, equals: field.identifier)
                .submitLabel(.next)
                .onSubmit(moveOn)
                .autocorrectionDisabled()
                .accessibilityLabel(Text(verbatim: label))
                .accessibilityHint(Text(verbatim: problem ?? ""))
                .modifier(Suggestion(role: field.autofill, kind: field.kind))
        }
    }

    @ViewBuilder private var textField: some View {
        if field.kind == .password {
            SecureField(text: value, prompt: prompt) { Text(verbatim: label) }
        } else {
            TextField(text: value, prompt: prompt) { Text(verbatim: label) }
        }
    }

    private var value: Binding<String> { model.binding(for: field.identifier) }
    private var prompt: Text? { field.placeholder.map { Text(verbatim: $0) } }
}

/// The system's suggestion for a field, and the keyboard for it.
private struct Suggestion: ViewModifier {
    let role: SignInPrompt.Field.AutofillRole?
    let kind: SignInPrompt.Field.Kind

    func body(content: Content) -> some View {
        #if os(iOS) || os(visionOS)
        content.textContentType(contentType).keyboardType(keyboard).textInputAutocapitalization(.never)
            .textFieldStyle(.roundedBorder)
        #elseif os(macOS)
        content.textContentType(contentType).textFieldStyle(.roundedBorder)
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
        // A code may have letters in it.
        case .oneTimeCode: .asciiCapable
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
