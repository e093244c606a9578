#if canImport(SwiftUI)
import SwiftUI

/// A field for a date. Until one is chosen it has none: a date that nobody chose must not be sent.
struct DateField: View {
    @ObservedObject var flow: SignInFlow
    let input: FlowInput

    var body: some View {
        if flow.date(for: input.name) == nil {
            Text(verbatim: flow.title(of: input)).font(.subheadline)
            button(.fieldChooseDate) { flow.setDate(Date(), for: input.name) }
        } else {
            picker
            if input.required != true {
                button(.fieldRemoveDate) { flow.setDate(nil, for: input.name) }
            }
        }
    }

    @ViewBuilder private var picker: some View {
        #if os(tvOS)
        // There is no picker: the date is typed, as the server wants it.
        typed
        #elseif os(watchOS)
        if #available(watchOS 10, *) { chosen } else { typed }
        #else
        chosen
        #endif
    }

    #if !os(tvOS)
    @available(watchOS 10, *)
    private var chosen: some View {
        DatePicker(selection: flow.binding(forDate: input.name), displayedComponents: .date) {
            Text(verbatim: flow.title(of: input))
        }
    }
    #endif

    #if os(tvOS) || os(watchOS)
    private var typed: some View {
        TextField(text: flow.binding(for: input.name)) { Text(verbatim: flow.title(of: input)) }
    }
    #endif

    private func button(_ key: TextKey, _ action: @escaping @MainActor () -> Void) -> some View {
        Button(action: action) { Text(verbatim: flow.texts.text(key)) }.secondaryButton()
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
