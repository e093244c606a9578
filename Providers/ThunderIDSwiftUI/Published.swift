#if !canImport(Combine)
/// In place of Combine's wrapper where there is no Combine. It publishes nothing.
@_documentation(visibility: internal)
@propertyWrapper
public struct Published<Value> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Published: Sendable where Value: Sendable {}
#endif
