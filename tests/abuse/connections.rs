//! One address opens all the connections it may have.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};
use spindle_tests::{Options, Server};

use crate::attack::{Attack, is_set};

/// A connection from another address than the bystander's, with a small receive buffer.
pub fn connect(server: &Server) -> TcpStream {
    connect_to(server.address())
}

pub fn connect_to(address: &str) -> TcpStream {
    connect_from(2, address)
}

/// As [`connect`], from a given local address: an attack that needs many connections, or is refused
/// as an address, uses its own.
pub fn connect_from(own: u8, address: &str) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("socket");
    let own = SocketAddr::from((Ipv4Addr::new(127, 0, 0, own), 0));
    socket.bind(&own.into()).expect("bind");
    socket.set_recv_buffer_size(4096).expect("buffer");
    let address: SocketAddr = address.parse().expect("an address");
    socket.connect(&address.into()).expect("connect");
    socket.into()
}

pub const OF_ONE_ADDRESS: Attack = Attack::new("connections of one address", |server| {
    let address = server.address().to_owned();
    Box::new(move |is_over| {
        let mut sockets = Vec::new();
        while !is_set(is_over) {
            if sockets.len() < 200 {
                sockets.push(connect_to(&address));
            } else {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    })
})
.on(|| {
    let extra = [
        "--max-connections",
        "100",
        "--max-connections-per-address",
        "40",
    ];
    Options {
        extra: extra.map(str::to_owned).to_vec(),
        ..Options::default()
    }
});

#[test]
fn many_connections_of_one_address_are_withstood() {
    OF_ONE_ADDRESS.is_withstood();
}

/// The connection above the limit gets an error; the others are served.
#[test]
fn the_connection_above_the_limit_of_an_address_gets_an_error() {
    use std::io::{Read as _, Write as _};
    let extra = ["--max-connections-per-address", "5"];
    let server = Server::spawn(Options {
        extra: extra.map(str::to_owned).to_vec(),
        ..Options::default()
    });
    let mut sockets: Vec<TcpStream> = (0..5).map(|_| connect(&server)).collect();
    let mut answer = String::new();
    let read = connect(&server).read_to_string(&mut answer);
    assert!(
        read.is_ok() && answer.starts_with("HTTP/1.1 503"),
        "{answer}"
    );
    let first = &mut sockets[0];
    first
        .write_all(b"GET /api/v1/server_settings HTTP/1.1\r\nhost: x\r\n\r\n")
        .expect("write");
    let mut head = [0; 12];
    first.read_exact(&mut head).expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 200");
}
