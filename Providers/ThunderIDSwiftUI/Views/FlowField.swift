#if canImport(SwiftUI)
import SwiftUI

/// One field: the right keyboard, the right suggestion of the system, and nothing shown that must not be.
struct FlowField: View {
    @ObservedObject var flow: SignInFlow
    let input: FlowInput
    let focus: FocusState<String?>.Binding
    let isLast: Bool
    let moveOn: () -> Void

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            control.accessibilityIdentifier(ElementIdentifier.field(input.name))
            if let problem = flow.problems[input.name] { ProblemText(text: problem) }
        }
    }

    @ViewBuilder private var control: some View {
        if !input.options.isEmpty {
            Picker(selection: value) {
                Text(verbatim: "–").tag("")
                ForEach(input.options, id: \.self) { Text(verbatim: $0).tag($0) }
            } label: {
                Text(verbatim: label)
            }
        } else if input.kind == .boolean {
            Toggle(isOn: flow.binding(forSwitch: input.name)) { Text(verbatim: label) }
        } else if input.kind == .date {
            DateField(flow: flow, input: input)
        } else {
            Text(verbatim: label).font(.subheadline).accessibilityHidden(true)
            textField
                .framed()
                .focused(focus, equals: input.name)
                .submitLabel(isLast ? .go : .next)
                .onSubmit(moveOn)
                .autocorrectionDisabled()
                .accessibilityLabel(Text(verbatim: label))
                .modifier(
                    Suggestion(input: input, choosesPassword: flow.choosesPassword, hasDigitsOnly: flow.hasNumericCode))
        }
    }

    @ViewBuilder private var textField: some View {
        // A one-time code is shown: the system can fill it in, and it is worth nothing a moment later.
        if input.kind == .password {
            SecureField(text: value, prompt: prompt) { Text(verbatim: label) }
        } else {
            TextField(text: value, prompt: prompt) { Text(verbatim: label) }
        }
    }

    private var value: Binding<String> { flow.binding(for: input.name) }
    private var label: String { flow.title(of: input) }
    private var prompt: Text? { input.placeholder.map { Text(verbatim: $0) } }
}

/// What the system may offer for a field, and the keyboard for it.
private struct Suggestion: ViewModifier {
    let input: FlowInput
    let choosesPassword: Bool
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
        switch input.kind {
        case .username: .username
        case .password: choosesPassword ? .newPassword : .password
        case .oneTimeCode: .oneTimeCode
        case .email: .emailAddress
        case .phone: .telephoneNumber
        case .text, .number, .date, .boolean, .choice: nil
        }
    }

    private var keyboard: UIKeyboardType {
        switch input.kind {
        // A code may have letters in it; the form knows whether this one may.
        case .oneTimeCode: hasDigitsOnly ? .numberPad : .asciiCapable
        case .number: .decimalPad
        case .email: .emailAddress
        case .phone: .phonePad
        case .text, .username, .password, .date, .boolean, .choice: .default
        }
    }
    #elseif os(macOS)
    private var contentType: NSTextContentType? {
        switch input.kind {
        case .username: .username
        case .password: .password
        case .oneTimeCode: .oneTimeCode
        case .text, .email, .phone, .number, .date, .boolean, .choice: nil
        }
    }
    #endif
}

extension SignInFlow {
    /// The value of a field, for a text field of SwiftUI.
    public func binding(for name: String) -> Binding<String> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[value: name]]
    }

    func binding(forSwitch name: String) -> Binding<Bool> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[isOn: name]]
    }

    /// Whether the person agrees to share `element`, for a toggle of SwiftUI.
    public func agreement(to element: String) -> Binding<Bool> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[agrees: element]]
    }

    private subscript(value name: String) -> String {
        get { value(for: name) }
        set { setValue(newValue, for: name) }
    }

    private subscript(isOn name: String) -> Bool {
        get { value(for: name) == "true" }
        set { setValue(newValue ? "true" : "false", for: name) }
    }

    private subscript(agrees element: String) -> Bool {
        get { agrees(to: element) }
        set { setAgreement(newValue, to: element) }
    }
}
#endif
