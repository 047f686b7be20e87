// A receiver written from docs/webhooks.md and nothing else: no line of ours is in it.
//
//	go run receiver.go 'whsec_…'
//
// POST /standard checks webhook-signature, POST /service checks X-Service-Signature. Each event is printed once. GET
// /bookings tells what the latest event of each booking was.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type envelope struct {
	ID       string `json:"id"`
	Event    string `json:"event"`
	Sequence int64  `json:"sequence"`
	Data     struct {
		BookingID string `json:"booking_id"`
	} `json:"data"`
}

type latest struct {
	Event    string `json:"event"`
	Sequence int64  `json:"sequence"`
}

// inbox is what would be two tables.
type inbox struct {
	sync.Mutex
	ids      map[string]bool
	bookings map[string]latest
}

func (box *inbox) keep(body []byte) error {
	var event envelope
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	box.Lock()
	defer box.Unlock()
	if box.ids[event.ID] {
		return nil
	}
	box.ids[event.ID] = true
	if known, found := box.bookings[event.Data.BookingID]; !found || known.Sequence < event.Sequence {
		box.bookings[event.Data.BookingID] = latest{event.Event, event.Sequence}
	}
	fmt.Println(string(body))
	return nil
}

func standard(secret string, headers http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(secret[len("whsec_"):])
	if err != nil {
		return false
	}
	at, err := strconv.Atoi(headers.Get("Webhook-Timestamp"))
	if age := time.Now().Unix() - int64(at); err != nil || age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", headers.Get("Webhook-Id"), headers.Get("Webhook-Timestamp"), body)
	for _, one := range strings.Fields(headers.Get("Webhook-Signature")) {
		version, text, _ := strings.Cut(one, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if version == "v1" && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

func service(secret string, headers http.Header, body []byte) bool {
	text, found := strings.CutPrefix(headers.Get("X-Service-Signature"), "sha256=")
	given, err := hex.DecodeString(text)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return found && err == nil && hmac.Equal(given, mac.Sum(nil))
}

func main() {
	if len(os.Args) < 2 || len(os.Args[1]) != len("whsec_")+44 || !strings.HasPrefix(os.Args[1], "whsec_") {
		log.Fatal("not a webhook secret")
	}
	secret := os.Args[1]
	box := &inbox{ids: map[string]bool{}, bookings: map[string]latest{}}
	checked := func(check func(string, http.Header, []byte) bool) http.HandlerFunc {
		return func(answer http.ResponseWriter, request *http.Request) {
			body, err := io.ReadAll(request.Body)
			if err != nil || !check(secret, request.Header, body) {
				answer.WriteHeader(http.StatusUnauthorized)
			} else if err := box.keep(body); err != nil {
				answer.WriteHeader(http.StatusInternalServerError)
			}
		}
	}
	http.HandleFunc("/standard", checked(standard))
	http.HandleFunc("/service", checked(service))
	http.HandleFunc("/bookings", func(answer http.ResponseWriter, _ *http.Request) {
		box.Lock()
		defer box.Unlock()
		json.NewEncoder(answer).Encode(box.bookings)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening at http://%s/\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
