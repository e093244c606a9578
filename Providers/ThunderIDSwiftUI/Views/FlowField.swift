#if canImport(SwiftUI)
import IdentityKit
import IdentitySwiftUI
import SwiftUI

/// A field of a step, with its label in the language of the flow.
struct FlowField: View {
    @ObservedObject var flow: SignInFlow
    let input: FlowInput
    let focus: FocusState<String?>.Binding
    let moveOn: () -> Void

    var body: some View {
        FieldRow(
            field,
            .init(
                label: flow.title(of: input), problem: flow.problems[input.name],
                dateButtons: .init(
                    choose: flow.texts.text(.fieldChooseDate), remove: flow.texts.text(.fieldRemoveDate)),
                identifier: ElementIdentifier.field(input.name), problemIdentifier: ElementIdentifier.problem),
            value: flow.binding(for: input.name), hasDigitsOnly: flow.hasNumericCode, focus: focus,
            isLast: input.id == flow.inputs.last?.id, moveOn: moveOn)
    }

    private var field: SignInPrompt.Field {
        var field = SignInPrompt.Field(
            identifier: input.name, label: input.title, kind: input.kind, isRequired: input.required ?? false,
            options: input.options)
        field.placeholder = input.placeholder
        field.isNew = flow.choosesPassword
        return field
    }
}

extension SignInFlow {
    /// The value of a field as a binding for SwiftUI's text fields.
    public func binding(for name: String) -> Binding<String> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[value: name]]
    }

    /// The date of a field as a binding for SwiftUI's date pickers; the current date if the field has no valid date.
    public func binding(forDate name: String) -> Binding<Date> {
        binding(for: name).day
    }

    /// The consent to share `element` as a binding for SwiftUI's toggles.
    public func agreement(to element: String) -> Binding<Bool> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[agrees: element]]
    }

    private subscript(value name: String) -> String {
        get { value(for: name) }
        set { setValue(newValue, for: name) }
    }

    private subscript(agrees element: String) -> Bool {
        get { agrees(to: element) }
        set { setAgreement(newValue, to: element) }
    }
}
#endif
