// Re-exports Foundation, so that an app can send requests with the client's tokens without another import.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
