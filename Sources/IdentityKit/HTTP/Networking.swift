// Re-exported, because requests and responses are part of the interface.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
