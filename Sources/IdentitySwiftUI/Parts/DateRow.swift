#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// A field for a date. The field is empty until a date is chosen, because an unchosen date must not be sent.
package struct DateRow: View {
    /// Labels of the buttons that choose and remove the date.
    package struct Buttons {
        let choose: String
        let remove: String

        package init(choose: String, remove: String) { (self.choose, self.remove) = (choose, remove) }
    }

    let label: String
    let isRequired: Bool
    let buttons: Buttons
    @Binding var value: String

    package var body: some View {
        if isEmpty {
            Text(verbatim: label).font(.subheadline)
            button(buttons.choose) { value.day = Date() }
        } else {
            picker
            if !isRequired { button(buttons.remove) { value = "" } }
        }
    }

    private var isEmpty: Bool {
        #if os(tvOS) || os(watchOS)
        // Count only an empty text as empty, so that the text field stays while the typed date is incomplete.
        value.isEmpty
        #else
        FieldDate.date(of: value) == nil
        #endif
    }

    @ViewBuilder private var picker: some View {
        #if os(tvOS)
        // tvOS has no date picker, so the person edits the text of the date, such as `2000-02-29`.
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
        DatePicker(selection: $value.day, displayedComponents: .date) { Text(verbatim: label) }
    }
    #endif

    #if os(tvOS) || os(watchOS)
    private var typed: some View { TextField(text: $value) { Text(verbatim: label) } }
    #endif

    private func button(_ label: String, _ action: @escaping @MainActor () -> Void) -> some View {
        RankedButton(label, rank: .quiet) { action() }
    }
}

extension String {
    /// Date of a field's value such as `2000-02-29`; the current date if the value is not a date.
    package var day: Date {
        get { FieldDate.date(of: self) ?? Date() }
        set { self = FieldDate.text(of: newValue) ?? "" }
    }
}
#endif
