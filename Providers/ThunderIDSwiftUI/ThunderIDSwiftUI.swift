// Re-export the client's module, because the views use its types, so that an app needs only one import.
@_exported import ThunderID
