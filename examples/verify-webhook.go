// Receives Waymark's webhooks: verifies signatures and handles each event once. It uses no Waymark code: copy it.
//
//	go run examples/verify-webhook.go 'whsec_…' 4000
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Event is the envelope of every event. The type of Data depends on Event.
type Event struct {
	ID         string `json:"id"`
	Event      string `json:"event"`
	APIVersion string `json:"api_version"`
	CreatedAt  string `json:"created_at"`
	Sequence   int64  `json:"sequence"`
	// Test is true only in events sent by POST /api/webhooks/test.
	Test bool            `json:"test,omitempty"`
	Data json.RawMessage `json:"data"`
}

const (
	tolerance    = 5 * time.Minute
	maxBodyBytes = 1 << 20
)

var (
	errNotSigned = errors.New("the signature is wrong, or its timestamp is too old")
	// With an empty secret anybody could sign.
	errNoSecret = errors.New("a webhook secret is whsec_ and base64")

	timestampForm = regexp.MustCompile(`^[0-9]{1,12}$`)
	secretForm    = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]+=*$`)
)

// VerifyWebhook returns the event, or errNotSigned. The body must be the received bytes: parsing and serializing the
// JSON again can change them.
func VerifyWebhook(headers http.Header, body []byte, secret string, now time.Time) (Event, error) {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !timestampForm.MatchString(timestamp) || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return Event{}, errNotSigned
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !secretForm.MatchString(secret) {
		return Event{}, errNoSecret
	}
	expected := "v1," + base64.StdEncoding.EncodeToString(sum(key, id+"."+timestamp+".", body))
	// The header has several signatures, separated by spaces, while a secret is being rotated.
	for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
		if same(signature, expected) {
			var event Event
			err := json.Unmarshal(body, &event)
			return event, err
		}
	}
	return Event{}, errNotSigned
}

// VerifyBodySignature is an alternative: X-Service-Signature signs the body only, so it does not detect replayed
// requests.
func VerifyBodySignature(header string, body []byte, secret string) bool {
	return secretForm.MatchString(secret) && same(header, "sha256="+hex.EncodeToString(sum([]byte(secret), "", body)))
}

func sum(key []byte, before string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(before))
	mac.Write(body)
	return mac.Sum(nil)
}

// Constant-time comparison.
func same(given, expected string) bool {
	return hmac.Equal([]byte(given), []byte(expected))
}

// Receiver answers when keep has stored the event; process it later. If keep fails, Waymark sends the event again.
func Receiver(secret string, keep func(Event) error) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, maxBodyBytes))
		if err != nil {
			http.Error(answer, "the body is too long or incomplete", http.StatusRequestEntityTooLarge)
			return
		}
		event, err := VerifyWebhook(request.Header, body, secret, time.Now())
		if err != nil {
			http.Error(answer, "the signature is not valid", http.StatusUnauthorized)
			return
		}
		if err := keep(event); err != nil {
			http.Error(answer, "the event was not stored: send it again", http.StatusInternalServerError)
		}
	}
}

func main() {
	secret, port := "", "4000"
	if len(os.Args) > 1 {
		secret = os.Args[1]
	}
	if len(os.Args) > 2 {
		port = os.Args[2]
	}
	if !secretForm.MatchString(secret) {
		log.Fatal(errNoSecret)
	}
	// In production, store the events in a database table whose primary key is the event id.
	var kept sync.Map
	waiting := make(chan Event, 1000)
	keep := func(event Event) error {
		if _, known := kept.LoadOrStore(event.ID, true); !known {
			waiting <- event
		}
		return nil
	}
	go func() {
		for event := range waiting {
			line, _ := json.Marshal(event)
			fmt.Println(string(line))
		}
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening at http://%s/\n", listener.Addr())
	server := http.Server{Handler: Receiver(secret, keep), ReadTimeout: 30 * time.Second}
	log.Fatal(server.Serve(listener))
}
