// FerretDB as a peer for tests: a server that speaks MongoDB's protocol and keeps its data in SQLite files.
//
//	ferretdb <address> <directory>
//
// It says where it listens in one line on standard output, `mongodb://127.0.0.1:27017/`, and ends with the process that
// started it, which holds its standard input.
//
// FerretDB 1.24 answers an update by reading, comparing and writing, each by itself: two at once may both find what they
// ask for. MongoDB promises otherwise, so the commands of all connections are let in here one at a time, except those that
// only read: a find of many documents would make the driver's heartbeats and the renewals of leases wait.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// No message of the protocol is larger.
const longestMessage = 48_000_000

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: ferretdb <address> <directory>"))
	}
	address, directory := os.Args[1], os.Args[2]
	socket := filepath.Join(directory, "ferretdb.sock")
	// What a killed one left behind.
	_ = os.Remove(socket)
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: socket},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + directory + "/",
	})
	if err != nil {
		fail(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fail(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	go serve(listener, socket)
	fmt.Printf("mongodb://%s/\n", listener.Addr())
	if err := server.Run(ctx); err != nil {
		fail(err)
	}
}

func serve(listener net.Listener, socket string) {
	var turns turns
	for {
		client, err := listener.Accept()
		if err != nil {
			fail(err)
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("unix", socket)
			if err != nil {
				return
			}
			defer server.Close()
			for oneCommand(client, server, &turns) == nil {
			}
		}()
	}
}

// turns lets in one command that writes at a time, any number that read, and by itself one that changes collections or
// indexes: FerretDB fails a find whose table another command drops.
type turns struct {
	tables sync.RWMutex
	write  sync.Mutex
}

func (t *turns) take(command []byte) (leave func()) {
	switch nameOf(command) {
	case "hello", "ismaster", "isMaster", "ping", "buildInfo", "find", "getMore", "count", "listCollections":
		t.tables.RLock()
		return t.tables.RUnlock
	case "insert", "update", "delete", "findAndModify":
		t.write.Lock()
		t.tables.RLock()
		return func() {
			t.tables.RUnlock()
			t.write.Unlock()
		}
	}
	t.tables.Lock()
	return t.tables.Unlock
}

// nameOf returns the first field of the document in an OP_MSG. A driver sends another kind of message only to say hello.
func nameOf(command []byte) string {
	const opMsg, field = 2013, 26
	if len(command) < field || binary.LittleEndian.Uint32(command[12:]) != opMsg {
		return "hello"
	}
	name, _, _ := bytes.Cut(command[field:], []byte{0})
	return string(name)
}

// oneCommand lets a client's next command in when it is its turn. Our clients send none that has no answer.
func oneCommand(client, server net.Conn, turns *turns) error {
	command, err := message(client)
	if err != nil {
		return err
	}
	answer, err := func() ([]byte, error) {
		defer turns.take(command)()
		if _, err := server.Write(command); err != nil {
			return nil, err
		}
		return message(server)
	}()
	if err != nil {
		return err
	}
	_, err = client.Write(answer)
	return err
}

// message reads one message: its first four bytes are its length, those four included.
func message(from io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length < 16 || length > longestMessage {
		return nil, fmt.Errorf("a message of %d bytes", length)
	}
	whole := make([]byte, length)
	copy(whole, head[:])
	_, err := io.ReadFull(from, whole[4:])
	return whole, err
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
