#if !canImport(Combine)
/// Replaces Combine's property wrapper on systems without Combine. Changes are not published.
@_documentation(visibility: internal)
@propertyWrapper
public struct Published<Value> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Published: Sendable where Value: Sendable {}
#endif
