/// A property that `==` of the surrounding type ignores, because any two wrappers compare as equal.
@propertyWrapper
struct Uncompared<Value: Sendable>: Sendable, Equatable {
    var wrappedValue: Value

    static func == (left: Self, right: Self) -> Bool { true }
}
