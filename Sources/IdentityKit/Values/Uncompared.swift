/// A property that the comparison of its type leaves out.
@propertyWrapper
struct Uncompared<Value: Sendable>: Sendable, Equatable {
    var wrappedValue: Value

    static func == (left: Self, right: Self) -> Bool { true }
}
