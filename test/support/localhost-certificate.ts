/**
 * A self-signed certificate of `localhost` and 127.0.0.1 for servers in tests, good until 2126 and trusted by nobody.
 * Made with: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=localhost
 * -addext subjectAltName=DNS:localhost,IP:127.0.0.1
 */
export const LOCALHOST = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgz/t46FaJNOH2uaTD
Ch3WY6W4vAlfQWZxHVzu0DKUhbWhRANCAATkzIpfF+f7MtcZbUVbxnPR4XGVdzJG
8Pqj85/ty5VAsDSbNoRVr8JuAlNb7TXD+YgKg5bYgBKLmn2Pi1X+xDev
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUJxLY/JNNzBJ1Su6PnkdESCI+ktIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTIwMDUxMFoYDzIxMjYxMDI4
MjAwNTEwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATkzIpfF+f7MtcZbUVbxnPR4XGVdzJG8Pqj85/ty5VAsDSbNoRVr8Ju
AlNb7TXD+YgKg5bYgBKLmn2Pi1X+xDevo28wbTAdBgNVHQ4EFgQUWraIrK4fQLTY
JKFXEGA2M/TXX6gwHwYDVR0jBBgwFoAUWraIrK4fQLTYJKFXEGA2M/TXX6gwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhANOAFUG00GLC0KTuQ7oRcBWNjwyHocd9GZd1cIt/dU8XAiAZ
m6CvUYR5v9kXhsr4OP5YCP9FVkp9juUM4q8N+LWPTA==
-----END CERTIFICATE-----
`,
};
