#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import SwiftUI
import ThunderID

/// A field for a date. Until one is chosen it has none: a date that nobody chose must not be sent.
struct DateField: View {
    @ObservedObject var flow: SignInFlow
    let input: FlowInput

    var body: some View {
        if flow.date(for: input.name) == nil {
            Text(verbatim: flow.title(of: input)).font(.subheadline)
            button(.fieldChooseDate) { flow.setDate(Date(), for: input.name) }
        } else {
            DatePicker(selection: flow.binding(forDate: input.name), displayedComponents: .date) {
                Text(verbatim: flow.title(of: input))
            }
            if input.required != true {
                button(.fieldRemoveDate) { flow.setDate(nil, for: input.name) }
            }
        }
    }

    private func button(_ key: TextKey, _ action: @escaping @MainActor () -> Void) -> some View {
        Button(action: action) { Text(verbatim: flow.texts.text(key)) }.buttonStyle(.borderless)
    }
}

extension SignInFlow {
    /// The date of a field, for a date picker of SwiftUI; today where the field has none.
    public func binding(forDate name: String) -> Binding<Date> {
        ObservedObject(wrappedValue: self).projectedValue[dynamicMember: \.[date: name]]
    }

    private subscript(date name: String) -> Date {
        get { date(for: name) ?? Date() }
        set { setDate(newValue, for: name) }
    }
}
#endif
