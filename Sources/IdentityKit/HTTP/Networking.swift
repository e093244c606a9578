// Re-exported, because public declarations use `URLRequest` and `HTTPURLResponse`, which are in this module on Linux.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
