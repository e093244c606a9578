#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import SwiftUI
import ThunderID

/// One field: the right keyboard, the right suggestion of the system, and nothing shown that must not be.
struct FlowField: View {
    @ObservedObject var flow: SignInFlow
    let input: FlowInput
    let focus: FocusState<String?>.Binding
    let isLast: Bool
    let moveOn: () -> Void

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            control
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
        } else if input.type == "BOOLEAN_INPUT" {
            Toggle(isOn: flow.binding(forSwitch: input.name)) { Text(verbatim: label) }
        } else {
            Text(verbatim: label).font(.subheadline).accessibilityHidden(true)
            textField
                .textFieldStyle(.roundedBorder)
                .focused(focus, equals: input.name)
                .submitLabel(isLast ? .go : .next)
                .onSubmit(moveOn)
                .autocorrectionDisabled()
                .accessibilityLabel(Text(verbatim: label))
                .modifier(Suggestion(input: input, isNewAccount: flow.request.flowType == .registration))
        }
    }

    @ViewBuilder private var textField: some View {
        // A one-time code is shown: the system can fill it in, and it is worth nothing a moment later.
        if input.type == "PASSWORD_INPUT" {
            SecureField(text: value, prompt: prompt) { Text(verbatim: label) }
        } else {
            TextField(text: value, prompt: prompt) { Text(verbatim: label) }
        }
    }

    private var value: Binding<String> { flow.binding(for: input.name) }
    private var label: String { input.label ?? input.name }
    private var prompt: Text? { input.placeholder.map { Text(verbatim: $0) } }
}

/// What the system may offer for a field, and the keyboard for it.
private struct Suggestion: ViewModifier {
    let input: FlowInput
    let isNewAccount: Bool

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
        switch input.type {
        case "PASSWORD_INPUT": isNewAccount ? .newPassword : .password
        case "OTP_INPUT": .oneTimeCode
        case "EMAIL_INPUT": .emailAddress
        case "PHONE_INPUT": .telephoneNumber
        default: input.name == "username" ? .username : nil
        }
    }

    private var keyboard: UIKeyboardType {
        switch input.type {
        case "OTP_INPUT", "NUMBER_INPUT": .numberPad
        case "EMAIL_INPUT": .emailAddress
        case "PHONE_INPUT": .phonePad
        default: .default
        }
    }
    #elseif os(macOS)
    private var contentType: NSTextContentType? {
        switch input.type {
        case "PASSWORD_INPUT": .password
        case "OTP_INPUT": .oneTimeCode
        default: input.name == "username" ? .username : nil
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
